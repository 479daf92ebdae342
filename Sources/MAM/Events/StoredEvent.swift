import Support

/// An event as the store holds it.
package struct StoredEvent: Hashable, Sendable {
  /// From 1, rising by one in each store.
  package let seq: Int64
  package let time: Timestamp
  /// The name of the notification.
  package let type: String
  /// The members of the notification beside `seq` and `time`: the text of a JSON object.
  package let body: String
}
