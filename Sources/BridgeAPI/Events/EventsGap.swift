import JSON

/// Numbers of events that a reader does not get, both ends included.
package struct EventGap: Record, Hashable {
  package var from: Int64
  package var to: Int64

  package init(from: Int64, to: Int64) {
    self.from = from
    self.to = to
  }

  package static let schemaName: String? = "EventGap"
  package static let fields = Fields(
    Self.init(from:to:), Field("from", \.from, "The first number."), Field("to", \.to, "The last number."))
}

package enum EventsGap: Notification {
  package static let name = "events.gap"
  package static let summary = "Events that were to be pushed are no longer kept: the host was too slow to take them."
  package static let details = """
    Of any type, for what is gone cannot be looked at. Not stored, and without a number of its own. The stream goes on \
    behind it; the host should ask anew for the state that it derives from events.
    """
  package static let example = EventGap(from: 12, to: 57)
}
