import JSONRPC
import MAM
import Model
import Support

/// The events that a connection wants, and the pump that pushes them. The pump runs only while there are any.
final class EventSubscriptions: Sendable {
  private struct State {
    var starts: [String: EventStart] = [:]
    var pump: Task<Void, Never>?
    /// A cancelled pump may hold a page until the host reads, and the next pump waits for that.
    var lastPump: Task<Void, Never>?
  }

  private let events: EventLog
  private let state = Lock(State())

  init(_ events: EventLog) {
    self.events = events
  }

  /// Subscribes to events, and returns where the new subscriptions start.
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

  /// Settles where subscriptions start. If that fails, removes them.
  func settle(_ starts: [EventStart]) throws(MAMError) {
    do throws(MAMError) {
      for start in starts { _ = try events.settle(start) }
    } catch {
      remove(starts)
      throw error
    }
  }

  /// Removes the subscriptions of a call that failed.
  func remove(_ starts: [EventStart]) {
    remove { _, start in starts.contains { $0 === start } }
  }

  /// Removes subscriptions by name; all of them if `names` is `nil`.
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

  /// Where events of this type start; `nil` if nobody subscribed to them.
  func start(of type: String) -> EventStart? { state.withLock { $0.starts[type] } }

  /// The lowest number after which subscribed events start; `nil` without subscriptions. Later subscriptions start no
  /// lower.
  func firstStart() throws(MAMError) -> Int64? {
    while true {
      let starts = state.withLock { Array($0.starts.values) }
      let numbers = starts.compactMap(\.seq)
      if numbers.count == starts.count { return numbers.min() }
      for start in starts { _ = try events.settle(start) }
    }
  }

  /// Starts all subscriptions over, because numbers of another store mean nothing here.
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
  /// Starts to push notifications of these names: every event that any process commits after this returns. Returns
  /// where the new subscriptions start. May block. If it throws, nothing is subscribed.
  func subscribe(to names: [PushName]) throws(MAMError) -> [EventStart] {
    let starts = startSubscription(to: names)
    push(names, from: try settle(starts, of: names))
    return starts
  }

  /// Like `subscribe(to:)`, but never blocks. Log lines, and events of other processes, are certain to arrive only once
  /// the starts are settled.
  func startSubscription(to names: [PushName]) -> [EventStart] {
    let events = names.filter { $0 != .logLines && $0 != .telemetry }.map(\.name)
    guard let peer, !events.isEmpty else { return [] }
    return subscriptions.add(events, telling: peer)
  }

  /// Settles where subscriptions start, and returns the log if its lines are wanted. If it throws, nothing is
  /// subscribed.
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

  /// Starts to push log lines and telemetry, which are not events.
  func push(_ names: [PushName], from log: DiagnosticsLog?) {
    guard let peer else { return }
    if let log { logPush.start(log, telling: peer) }
    if names.contains(.telemetry) { telemetryPush.start(core.telemetry, telling: peer) }
  }
}
