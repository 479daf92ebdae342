import BridgeAPI
import JSONRPC
import MAM
import Model
import Support

/// Pushes the lines of the diagnostics log to one host. What it does not take in time is dropped, so that neither the
/// log nor memory depends on it.
final class LogPush: Sendable {
  private struct Subscription {
    private let log: DiagnosticsLog
    private let number: Int

    init(_ log: DiagnosticsLog, from level: LogLevel, telling peer: any Peer) {
      self.log = log
      number = log.subscribe(from: level) { entry in
        let params = LoggerLog.Params(level: entry.level, message: entry.message)
        _ = peer.notify(LoggerLog.name, params: params.jsonBytes)
      }
    }

    func end() { log.unsubscribe(number) }
  }

  private struct State {
    var subscription: Subscription?
    var hasEnded = false
  }

  private let state = Lock(State())

  /// All lines. Changes nothing where some are pushed already.
  func start(_ log: DiagnosticsLog, telling peer: any Peer) {
    let new = Subscription(log, from: .verbose, telling: peer)
    let superfluous = state.withLock { state in
      if state.hasEnded || state.subscription != nil { return true }
      state.subscription = new
      return false
    }
    if superfluous { new.end() }
  }

  /// Lines from `level` on, instead of those that are pushed now.
  func restart(_ log: DiagnosticsLog, from level: LogLevel, telling peer: any Peer) {
    let new = Subscription(log, from: level, telling: peer)
    let superfluous = state.withLock { state -> Subscription? in
      if state.hasEnded { return new }
      defer { state.subscription = new }
      return state.subscription
    }
    superfluous?.end()
  }

  func stop() {
    state.withLock { $0.subscription.take() }?.end()
  }

  /// For good: what a call that still runs would start is not.
  func end() {
    state.withLock { $0.hasEnded = true }
    stop()
  }
}
