import BridgeAPI
import MAM
import Support

extension MethodTable.Declarations {
  mutating func addEvents() {
    either(ListEvents.self) { params, connection in
      let events = connection.core.events
      let wait = Duration.milliseconds(params.waitMilliseconds.value)
      guard wait > .zero else {
        return .later { () throws(MAMError) in EventList(try events.list(EventQuery(params))) }
      }
      let deadline = ContinuousClock.now + wait
      return .later(isWaiting: true) { () async throws(MAMError) in
        EventList(try await events.list(EventQuery(params), waitingUntil: deadline))
      }
    }
    either(SubscribeToEvents.self) { params, connection in
      let starts = connection.startSubscription(to: params.types)
      guard params.types.contains(.logLines) || starts.contains(where: { $0.seq == nil }) else {
        connection.push(params.types, from: nil)
        return .now(SubscribeToEvents.Result())
      }
      return .later(takeBack: { connection.subscriptions.remove(starts) }) { () throws(MAMError) in
        let log = try connection.settle(starts, of: params.types)
        guard CommitPoint.current?.pass() ?? true else { throw .cancelled }
        connection.push(params.types, from: log)
        return SubscribeToEvents.Result()
      }
    }
    either(UnsubscribeFromEvents.self) { params, connection in
      connection.subscriptions.remove(params.types?.map(\.name))
      if params.types?.contains(.logLines) ?? true { connection.logPush.stop() }
      if params.types?.contains(.telemetry) ?? true { connection.telemetryPush.stop() }
      return .now(UnsubscribeFromEvents.Result())
    }
  }
}

extension BridgeConnection {
  /// From now on pushes what has these names: every event that is committed after this returns, by any process. May
  /// block. Returns the starts of those that are new. When it throws, none is subscribed.
  func subscribe(to names: [PushName]) throws(MAMError) -> [EventStart] {
    let starts = startSubscription(to: names)
    push(names, from: try settle(starts, of: names))
    return starts
  }

  /// The same without blocking. Log lines, and changes by other processes, are seen for sure once the starts are settled.
  fileprivate func startSubscription(to names: [PushName]) -> [EventStart] {
    let events = names.filter { $0 != .logLines && $0 != .telemetry }.map(\.name)
    guard let peer, !events.isEmpty else { return [] }
    return subscriptions.add(events, telling: peer)
  }

  /// Returns the log whose lines are wanted. When it throws, none is subscribed.
  fileprivate func settle(_ starts: [EventStart], of names: [PushName]) throws(MAMError) -> DiagnosticsLog? {
    try subscriptions.settle(starts)
    guard names.contains(.logLines) else { return nil }
    do throws(MAMError) {
      return try core.refresh().log
    } catch {
      subscriptions.remove(starts)
      throw error
    }
  }

  /// From now on pushes what is no event.
  fileprivate func push(_ names: [PushName], from log: DiagnosticsLog?) {
    guard let peer else { return }
    if let log { logPush.start(log, telling: peer) }
    if names.contains(.telemetry) { telemetryPush.start(core.telemetry, telling: peer) }
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
