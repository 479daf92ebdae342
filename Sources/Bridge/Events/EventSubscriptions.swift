import JSONRPC
import MAM
import Model
import Support

/// Which events a connection wants, and the pump that pushes them; it runs only while there are any.
final class EventSubscriptions: Sendable {
  private struct State {
    var starts: [String: EventStart] = [:]
    var pump: Task<Void, Never>?
    /// One that is cancelled may hold a page until the host reads, and the next one waits for that.
    var lastPump: Task<Void, Never>?
  }

  private let events: EventLog
  private let state = Lock(State())

  init(_ events: EventLog) {
    self.events = events
  }

  /// The starts of those that are new.
  func add(_ names: [String], telling peer: any Peer) -> [EventStart] {
    let new = Set(names).map { (name: $0, start: events.start()) }
    let added = state.withLock { state in
      let added = new.filter { state.starts.updateValue(state.starts[$0.name] ?? $0.start, forKey: $0.name) == nil }
      if state.pump == nil, !added.isEmpty {
        state.pump = run(telling: peer, after: state.lastPump)
        state.lastPump = state.pump
      }
      return added.map(\.start)
    }
    for (_, start) in new where !added.contains(where: { $0 === start }) { events.drop(start) }
    return added
  }

  /// Those that cannot be settled are removed.
  func settle(_ starts: [EventStart]) throws(MAMError) {
    do throws(MAMError) {
      for start in starts { _ = try events.settle(start) }
    } catch {
      remove(starts)
      throw error
    }
  }

  /// Those whose call has failed after all.
  func remove(_ starts: [EventStart]) {
    remove { _, start in starts.contains { $0 === start } }
  }

  /// All when `names` is nil.
  func remove(_ names: [String]? = nil) {
    remove { name, _ in names?.contains(name) ?? true }
  }

  private func remove(where condition: (String, EventStart) -> Bool) {
    let (removed, pump) = state.withLock { state -> ([EventStart], Task<Void, Never>?) in
      let removed = state.starts.filter { condition($0.key, $0.value) }
      for name in removed.keys { state.starts[name] = nil }
      return (Array(removed.values), state.starts.isEmpty ? state.pump.take() : nil)
    }
    pump?.cancel()
    for start in removed { events.drop(start) }
  }

  /// Where events of this type start; nil when they are not wanted.
  func start(of type: String) -> EventStart? { state.withLock { $0.starts[type] } }

  /// The lowest of the numbers behind which they start; nil when nothing is wanted. One that is added after this starts
  /// no lower.
  func firstStart() throws(MAMError) -> Int64? {
    while true {
      let starts = state.withLock { Array($0.starts.values) }
      let numbers = starts.compactMap(\.seq)
      if numbers.count == starts.count { return numbers.min() }
      for start in starts { _ = try events.settle(start) }
    }
  }

  /// The numbers of another store say nothing here.
  func restart() {
    state.withLock { state in
      for name in state.starts.keys { state.starts[name] = EventStart(0) }
    }
  }

  private func run(telling peer: any Peer, after last: Task<Void, Never>?) -> Task<Void, Never> {
    Task(executorPreference: BlockingExecutor.shared) { [events] in
      await last?.value
      var pump = EventPump(events: events, subscriptions: self, peer: peer)
      await pump.run()
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
  func startSubscription(to names: [PushName]) -> [EventStart] {
    let events = names.filter { $0 != .logLines && $0 != .telemetry }.map(\.name)
    guard let peer, !events.isEmpty else { return [] }
    return subscriptions.add(events, telling: peer)
  }

  /// Returns the log whose lines are wanted. When it throws, none is subscribed.
  func settle(_ starts: [EventStart], of names: [PushName]) throws(MAMError) -> DiagnosticsLog? {
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
  func push(_ names: [PushName], from log: DiagnosticsLog?) {
    guard let peer else { return }
    if let log { logPush.start(log, telling: peer) }
    if names.contains(.telemetry) { telemetryPush.start(core.telemetry, telling: peer) }
  }
}
