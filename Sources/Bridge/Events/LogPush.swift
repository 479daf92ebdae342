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

  private let subscription = Lock<Subscription?>(nil)

  /// All lines. Changes nothing where some are pushed already.
  func start(_ log: DiagnosticsLog, telling peer: any Peer) {
    let new = Subscription(log, from: .verbose, telling: peer)
    let superfluous = subscription.withLock { subscription in
      if subscription != nil { return true }
      subscription = new
      return false
    }
    if superfluous { new.end() }
  }

  /// Lines from `level` on, instead of those that are pushed now.
  func restart(_ log: DiagnosticsLog, from level: LogLevel, telling peer: any Peer) {
    let new = Subscription(log, from: level, telling: peer)
    let old = subscription.withLock { subscription in
      defer { subscription = new }
      return subscription
    }
    old?.end()
  }

  func stop() {
    subscription.withLock { $0.take() }?.end()
  }
}
