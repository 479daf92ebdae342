import JSON
import JSONRPC
import MAM
import Model
import Support

enum ListEvents: Method {
  static let name = "events.list"
  static let summary = "Events that happened after a known one, oldest first."
  static let details = """
    10,000 events or 30 days are kept, whichever is passed first; the numbers that are gone by then are told as gap. \
    An `after` that this store never gave, or that belongs to another stream, is answered with a gap alone, and next \
    is the newest number: 0 when there is none. A page ends at `limit` events or 1 MiB. With waitMilliseconds the \
    answer comes as soon as there is an event that fits or a gap, and at the latest when the time is over or no more \
    requests come, then perhaps without events; in the meantime other requests are answered.
    """
  struct Params: Record {
    var after: EventNumber = 0
    var stream: String?
    var types: [EventName]?
    var limit: EventLimit = 100
    var waitMilliseconds: WaitMilliseconds = 0
    static let fields = Fields(
      Self.init,
      Field("after", \.after, default: 0, "The `next` of the call before; 0 for all events that are kept."),
      Field("stream", \.stream, "The `stream` that `after` belongs to."),
      Field("types", \.types, "Only events of these names; without it all."),
      Field("limit", \.limit, default: 100, "How many events are returned at most."),
      Field("waitMilliseconds", \.waitMilliseconds, default: 0, "How long to wait when there is nothing yet."))
  }
  typealias Result = EventList
  static let resultSummary = "The events that fit, and where to go on."
  static let example = Example(
    Params(after: 6, types: [EventName(PolicyDidChange.self)]),
    EventList(
      stream: "0b9e1c2d-3f40-4a51-8c62-7d8e9fa0b1c2",
      events: [EventEntry(type: PolicyDidChange.name, .example, body: PolicyDidChange.example.body.jsonText)],
      next: 7, gap: nil))

  /// Where it waits, it is answered behind those that come later.
  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let params = try params(from: node)
    let wait = Duration.milliseconds(params.waitMilliseconds.value)
    let (events, deadline) = (connection.core.events, ContinuousClock.now + wait)
    return work(isWaiting: wait > .zero, on: connection) { () async throws(MAMError) in
      guard wait > .zero else { return EventList(try events.list(EventQuery(params))) }
      return EventList(try await events.list(EventQuery(params), waitingUntil: deadline))
    }
  }
}

enum SubscribeToEvents: Method {
  static let name = "events.subscribe"
  static let summary = "From now on pushes events of these names to this connection, as notifications."
  static let details = """
    They come in the order of their numbers, those caused by other processes within a second. Names are added to those \
    subscribed before. A host that does not read misses nothing as long as the events are kept; events.gap tells of \
    those that were not. logger.log stands for the lines of the diagnostics log, telemetryDelegate.logAriaEvent for \
    telemetry: these are dropped for such a host. Commit point: when all of them are subscribed; a call that is \
    stopped before has subscribed none.
    """
  struct Params: Record {
    var types: [PushName]
    static let fields = Fields(Self.init, Field("types", \.types, "The names of the events."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(types: [PushName(PolicyDidChange.self)]), Nothing())

  /// At once where nothing new needs the disk.
  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let types = try params(from: node).types
    let starts = connection.startSubscription(to: types)
    guard types.contains(.logLines) || starts.contains(where: { $0.seq == nil }) else {
      connection.push(types, from: nil)
      Nothing().encode(to: &writer)
      return nil
    }
    let takeBack: @Sendable () -> Void = { connection.subscriptions.remove(starts) }
    return work(takeBack: takeBack, on: connection) { () throws(MAMError) in
      let log = try connection.settle(starts, of: types)
      guard CommitPoint.current?.pass() ?? true else { throw .cancelled }
      connection.push(types, from: log)
      return Nothing()
    }
  }
}

enum UnsubscribeFromEvents: ImmediateMethod {
  static let name = "events.unsubscribe"
  static let summary = "Pushes events of these names no longer."
  static let details = "One that was on its way may still come."
  struct Params: Record {
    var types: [PushName]?
    static let fields = Fields(
      Self.init, Field("types", \.types, "The names of the events; without it all."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(types: [PushName(PolicyDidChange.self)]), Nothing())

  static func answer(_ params: Params, on connection: BridgeConnection) -> Nothing {
    connection.subscriptions.remove(params.types?.map(\.name))
    if params.types?.contains(.logLines) ?? true { connection.logPush.stop() }
    if params.types?.contains(.telemetry) ?? true { connection.telemetryPush.stop() }
    return Nothing()
  }
}

extension EventQuery {
  fileprivate init(_ params: ListEvents.Params) {
    self.init(
      after: params.after.value, stream: params.stream, types: params.types.map { Set($0.map(\.name)) },
      limit: Int(params.limit.value))
  }
}

extension EventList {
  fileprivate init(_ page: EventPage) {
    self.init(
      stream: page.stream, events: page.events.map(EventEntry.init), next: page.next,
      gap: page.gap.map(EventGap.init))
  }
}

extension EventEntry {
  fileprivate init(_ event: StoredEvent) {
    self.init(type: event.type, EventStamp(seq: event.seq, time: event.time), body: event.body)
  }
}

extension EventGap {
  init(_ numbers: ClosedRange<Int64>) {
    self.init(from: numbers.lowerBound, to: numbers.upperBound)
  }
}
