import SQLite
import Support

/// An event as the store holds it.
package struct StoredEvent: Hashable, Sendable {
  /// From 1, rising by one in each store.
  package var seq: Int64
  package var time: Timestamp
  /// The name of the notification.
  package var type: String
  /// The members of the notification beside `seq` and `time`: the text of a JSON object.
  package var body: String

  /// The seq of an event that is appended is 0.
  static let table = Table("events", blank: StoredEvent(seq: 0, time: .never, type: "", body: "")) { event, column in
    column("seq", &event.seq, .numbered)
    column("time", &event.time)
    column("type", &event.type)
    column("body", &event.body)
  }
}
