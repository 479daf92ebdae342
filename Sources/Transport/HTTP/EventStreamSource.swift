/// Where the events of `GET /events` come from.
package protocol EventStreamSource: Sendable {
  /// What comes after the event with the id that a client has seen last, and then what happens, until the consuming task
  /// is cancelled or there can be no more. An id that nothing is known about is the source's to answer with a gap.
  ///
  /// The next one is asked for when the one before is written, so a slow client makes nothing grow.
  func events(after lastEventID: String?) -> any AsyncSequence<StreamedEvent, Never> & Sendable
}

/// One event, as server-sent events know it.
package struct StreamedEvent: Equatable, Sendable {
  /// What a client comes back with; nil leaves the one before. Not longer than `maximumIDBytes`.
  package var id: String?
  package var name: String
  /// JSON text.
  package var data: String

  /// A longer Last-Event-ID is not looked at.
  package static let maximumIDBytes = 256

  package init(id: String? = nil, name: String, data: String) {
    self.id = id
    self.name = name
    self.data = data
  }

  /// As it goes over the wire. Line ends in a name or an id cannot be told, and become spaces.
  var text: String {
    var text = id.map { "id: \(line($0))\n" } ?? ""
    text += "event: \(line(name))\n"
    for line in data.split(omittingEmptySubsequences: false, whereSeparator: endsLine) { text += "data: \(line)\n" }
    return text + "\n"
  }

  private func line(_ text: String) -> String {
    String(text.map { endsLine($0) || $0 == "\0" ? " " : $0 })
  }
}

/// Only these end a line there, unlike in Unicode.
private func endsLine(_ character: Character) -> Bool {
  character == "\n" || character == "\r" || character == "\r\n"
}
