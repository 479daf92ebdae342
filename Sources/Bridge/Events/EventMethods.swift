import BridgeAPI
import MAM

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
      let starts = connection.startSubscription(to: params.types.map(\.name))
      guard starts.contains(where: { $0.seq == nil }) else { return .now(SubscribeToEvents.Result()) }
      return .later { () throws(MAMError) in
        try connection.subscriptions.settle(starts)
        return SubscribeToEvents.Result()
      }
    }
    either(UnsubscribeFromEvents.self) { params, connection in
      connection.subscriptions.remove(params.types?.map(\.name))
      return .now(UnsubscribeFromEvents.Result())
    }
  }
}

extension BridgeConnection {
  /// From now on pushes events of these names: every one that is committed after this returns, by any process. May
  /// block. When it throws, they are not subscribed.
  func subscribe(events: [String]) throws(MAMError) {
    try subscriptions.settle(startSubscription(to: events))
  }

  /// The same without blocking. Changes by other processes are seen for sure once the starts are settled.
  fileprivate func startSubscription(to events: [String]) -> [EventStart] {
    guard let peer else { return [] }
    return subscriptions.add(events, telling: peer)
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
