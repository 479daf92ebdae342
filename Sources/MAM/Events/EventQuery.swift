/// Which events are wanted, and how many at a time.
package struct EventQuery: Sendable {
  /// The `next` of the page before; 0 for all that is kept.
  package var after: Int64
  /// The stream that `after` belongs to; nil when the reader does not know.
  package var stream: String?
  /// Nil for all.
  package var types: Set<String>?
  package var limit: Int
  /// What the events of a page may have together; the first one is returned in any case.
  package var byteLimit = 1 << 20

  package init(after: Int64, stream: String? = nil, types: Set<String>? = nil, limit: Int = 100) {
    self.after = after
    self.stream = stream
    self.types = types
    self.limit = limit
  }
}

/// Events in the order of their numbers, and where to go on.
package struct EventPage: Hashable, Sendable {
  /// Names the store: numbers of two stores cannot be compared.
  package let stream: String
  package let events: [StoredEvent]
  /// The number of the last event that was looked at.
  package let next: Int64
  /// What cannot be read any more, or never could.
  package let gap: ClosedRange<Int64>?

  package var isEmpty: Bool { events.isEmpty && gap == nil }
}
