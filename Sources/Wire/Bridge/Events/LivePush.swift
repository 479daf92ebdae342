import JSONRPC
import MAM
import Model
import Support

/// One connection's subscription to notifications that are not stored. Those that the host does not read in time are
/// dropped, so a slow host delays nobody and memory stays flat.
final class LivePush: Sendable {
  private typealias End = @Sendable () -> Void
  private let current = Lock<End?>(nil)

  /// Keeps an existing subscription unless `replacing`. `subscribe` returns a function that ends the new subscription.
  private func start(replacing: Bool = false, _ subscribe: () -> End) {
    let new = subscribe()
    let superfluous = current.withLock { current -> End? in
      guard replacing || current == nil else { return new }
      defer { current = new }
      return current
    }
    superfluous?()
  }

  func stop() {
    let end = current.withLock { $0.take() }
    end?()
  }
}

extension LivePush {
  /// Pushes all lines of a log.
  func start(_ log: DiagnosticsLog, telling peer: any Peer) {
    start { Self.subscribe(to: log, from: .verbose, peer) }
  }

  /// Pushes lines of `level` and above. Replaces an existing subscription.
  func restart(_ log: DiagnosticsLog, from level: LogLevel, telling peer: any Peer) {
    start(replacing: true) { Self.subscribe(to: log, from: level, peer) }
  }

  func start(_ telemetry: Telemetry, telling peer: any Peer) {
    start {
      let number = telemetry.add { event in _ = peer.notify(LogAriaEvent.name, params: event.jsonBytes) }
      return { telemetry.remove(number) }
    }
  }

  private static func subscribe(to log: DiagnosticsLog, from level: LogLevel, _ peer: any Peer) -> End {
    let number = log.subscribe(from: level) { entry in
      let params = LoggerLog.Params(level: entry.level, message: entry.message, cause: entry.cause)
      _ = peer.notify(LoggerLog.name, params: params.jsonBytes)
    }
    return { log.unsubscribe(number) }
  }
}
