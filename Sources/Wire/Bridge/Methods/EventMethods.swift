import JSON
import JSONRPC
import MAM
import Model
import Support

enum ListEvents: WorkMethod {
  static let name = "events.list"
  static let summary = "Return the events after a known event, oldest first."
  static let details = """
    The server keeps 10,000 events or 30 days of events, whichever is less; gap reports the numbers that are already \
    gone. An `after` that this store never issued, or that belongs to another stream, is answered with only a gap, and \
    next is the newest number, or 0 if there is none. A page ends at `limit` events or 1 MiB. With waitMilliseconds, \
    the answer comes as soon as there is a matching event or a gap; when the time is over or the input ends, it comes \
    with what there is. Other requests are answered meanwhile.
    """
  struct Params: Record {
    var after: EventNumber = 0
    var stream: String?
    var types: [EventName]?
    var limit: EventLimit = 100
    var waitMilliseconds: WaitMilliseconds = 0
    static let fields = Fields(
      Self.init,
      Field("after", \.after, default: 0, "The `next` of the previous call; 0 for all events that are kept."),
      Field("stream", \.stream, "The `stream` that `after` belongs to."),
      Field("types", \.types, "The names of the events to return; defaults to all."),
      Field("limit", \.limit, default: 100, "The maximum number of events to return."),
      Field("waitMilliseconds", \.waitMilliseconds, default: 0, "How long to wait for an event if there is none yet."))
  }
  typealias Result = EventList
  static let resultSummary = "The matching events, and where to continue."
  static let example = Example(
    Params(after: 6, types: [EventName(PolicyDidChange.self)]),
    EventList(
      stream: "0b9e1c2d-3f40-4a51-8c62-7d8e9fa0b1c2",
      events: [EventEntry(PolicyDidChange.name, Array(PolicyDidChange.example.jsonText.utf8))],
      next: 7, gap: nil))

  struct Captured: Sendable {
    let params: Params
    /// `nil` for a call that does not wait.
    let deadline: ContinuousClock.Instant?
  }

  /// A call that waits may be answered after later calls.
  static func isWaiting(_ params: Params) -> Bool { params.waitMilliseconds.value > 0 }

  static func capture(_ params: Params, on connection: BridgeConnection) -> Captured {
    let wait = Duration.milliseconds(params.waitMilliseconds.value)
    return Captured(params: params, deadline: isWaiting(params) ? .now + wait : nil)
  }

  static func answer(_ arrived: Captured, on connection: BridgeConnection) async throws(MAMError) -> EventList {
    let (events, query) = (connection.core.events, EventQuery(arrived.params))
    guard let deadline = arrived.deadline else { return EventList(try events.list(query)) }
    return EventList(try await events.list(query, waitingUntil: deadline))
  }
}

/// Takes effect when the call arrives, so what it began must be taken back if the call is stopped.
enum SubscribeToEvents: Method {
  static let name = "events.subscribe"
  static let summary = "Push events of these names to this connection from now on, as notifications."
  static let details = """
    Events arrive in order of their numbers, those of other processes within a second. The names are added to earlier \
    subscriptions. A host that does not read misses nothing while its events are kept; events.gap reports events that \
    were not. logger.log stands for the lines of the diagnostics log, and telemetryDelegate.logAriaEvent for \
    telemetry; both are dropped if the host does not read. Commit point: when all names are subscribed; a call that is \
    stopped before then has subscribed none.
    """
  struct Params: Record {
    var types: [PushName]
    static let fields = Fields(Self.init, Field("types", \.types, "The names of the events."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(types: [PushName(PolicyDidChange.self)]), Nothing())

  /// Answers at once if nothing new needs the disk.
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
  static let summary = "Stop pushing events of these names."
  static let details = "An event that is already on its way may still arrive."
  struct Params: Record {
    var types: [PushName]?
    static let fields = Fields(
      Self.init, Field("types", \.types, "The names of the events; defaults to all."))
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
  init(_ event: StoredEvent) { self.init(event.type, EventText.params(event)) }

  /// A type that this version does not know is kept as it is.
  fileprivate init(_ type: String, _ params: [UInt8]) {
    self.init(type: EventName(known: type), params: EventParamsText(params))
  }
}
