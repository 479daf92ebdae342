/// The source of the events for `GET /events`.
package protocol EventStreamSource: Sendable {
  /// The events after the one that a client has seen last, then new events, until the consuming task is cancelled or no
  /// more can come. For an unknown id, the source reports a gap.
  ///
  /// Each event is requested only after the previous one is written, so a slow client causes no backlog.
  func events(after lastEventID: String?) -> any AsyncSequence<StreamedEvent, Never> & Sendable
}

/// The source of the lines for `GET /log`.
package protocol LogStreamSource: Sendable {
  /// The levels that a client may ask for with `?level=`, the lowest first.
  var levels: [String] { get }
  /// The lines of `level` and above, or all of them, after the one that a client has seen last; without an id, those that
  /// are written after the return. As in `EventStreamSource`, one line at a time.
  func lines(
    from level: String?, after lastEventID: String?
  ) async -> any AsyncSequence<StreamedEvent, Never> & Sendable
}

/// One server-sent event.
package struct StreamedEvent: Equatable, Sendable {
  /// The id that a client sends when it reconnects, up to `maximumIDBytes`; `nil` keeps the previous id.
  package var id: String?
  package var name: String
  /// JSON text.
  package var data: String

  /// A longer Last-Event-ID is refused.
  package static let maximumIDBytes = 256

  package init(id: String? = nil, name: String, data: String) {
    self.id = id
    self.name = name
    self.data = data
  }

  /// The event as sent. Line ends in a name or an id become spaces, because the format cannot express them.
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

/// Only these characters end a line in an event stream, unlike in Unicode.
private func endsLine(_ character: Character) -> Bool {
  character == "\n" || character == "\r" || character == "\r\n"
}
