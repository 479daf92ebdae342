import JSON
import Support

package enum ListEvents: Method {
  package static let name = "events.list"
  package static let summary = "Events that happened after a known one, oldest first."
  package static let details = """
    10,000 events or 30 days are kept, whichever is passed first; the numbers that are gone by then are told as gap. \
    An `after` that this store never gave, or that belongs to another stream, is answered with a gap alone, and next \
    is the newest number: 0 when there is none. A page ends at `limit` events or 1 MiB. With waitMilliseconds the \
    answer comes as soon as there is an event that fits or a gap, and at the latest when the time is over or no more \
    requests come, then perhaps without events; in the meantime other requests are answered.
    """
  package struct Params: Record {
    package var after: EventNumber
    package var stream: String?
    package var types: [EventName]?
    package var limit: EventLimit
    package var waitMilliseconds: WaitMilliseconds

    package init(
      after: EventNumber = 0, stream: String? = nil, types: [EventName]? = nil, limit: EventLimit = 100,
      waitMilliseconds: WaitMilliseconds = 0
    ) {
      self.after = after
      self.stream = stream
      self.types = types
      self.limit = limit
      self.waitMilliseconds = waitMilliseconds
    }

    package static let fields = Fields(
      Self.init(after:stream:types:limit:waitMilliseconds:),
      Field("after", \.after, default: 0, "The `next` of the call before; 0 for all events that are kept."),
      Field("stream", \.stream, "The `stream` that `after` belongs to."),
      Field("types", \.types, "Only events of these names; without it all."),
      Field("limit", \.limit, default: 100, "How many events are returned at most."),
      Field("waitMilliseconds", \.waitMilliseconds, default: 0, "How long to wait when there is nothing yet."))
  }
  package typealias Result = EventList
  package static let resultSummary = "The events that fit, and where to go on."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(after: 6, types: [EventName(PolicyDidChange.self)]),
    EventList(
      stream: "0b9e1c2d-3f40-4a51-8c62-7d8e9fa0b1c2",
      events: [EventEntry(type: PolicyDidChange.name, .example, body: PolicyDidChange.example.body.jsonText)],
      next: 7, gap: nil))
}

package enum SubscribeToEvents: Method {
  package static let name = "events.subscribe"
  package static let summary = "From now on pushes events of these names to this connection, as notifications."
  package static let details = """
    They come in the order of their numbers, those caused by other processes within a second. Names are added to those \
    subscribed before. A host that does not read misses nothing as long as the events are kept; events.gap tells of \
    those that were not. logger.log stands for the lines of the diagnostics log, which are dropped for such a host. \
    Commit point: when all of them are subscribed; a call that is stopped before has subscribed none.
    """
  package struct Params: Record {
    package var types: [PushName]
    package static let fields = Fields(Self.init(types:), Field("types", \.types, "The names of the events."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(types: [PushName(PolicyDidChange.self)]), Nothing())
}

package enum UnsubscribeFromEvents: Method {
  package static let name = "events.unsubscribe"
  package static let summary = "Pushes events of these names no longer."
  package static let details = "One that was on its way may still come."
  package struct Params: Record {
    package var types: [PushName]?
    package static let fields = Fields(
      Self.init(types:), Field("types", \.types, "The names of the events; without it all."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let example = Example(Params(types: [PushName(PolicyDidChange.self)]), Nothing())
}
