import BridgeAPI
import JSONRPC
import MAM
import Model
import Support

/// Pushes the lines of the diagnostics log to one host. What it does not take in time is dropped, so that neither the
/// log nor memory depends on it.
final class LogPush: Sendable {
  private struct Subscription {
    let log: DiagnosticsLog
    let number: Int
  }

  private let subscription = Lock<Subscription?>(nil)

  /// A second time changes nothing.
  func start(_ log: DiagnosticsLog, telling peer: any Peer) {
    let number = log.subscribe(from: .verbose) { entry in
      let params = LoggerLog.Params(level: entry.level, message: entry.message)
      _ = peer.notify(LoggerLog.name, params: params.jsonBytes)
    }
    let superfluous = subscription.withLock { subscription in
      if subscription != nil { return true }
      subscription = Subscription(log: log, number: number)
      return false
    }
    if superfluous { log.unsubscribe(number) }
  }

  func stop() {
    let subscription = subscription.withLock { $0.take() }
    if let subscription { subscription.log.unsubscribe(subscription.number) }
  }
}
