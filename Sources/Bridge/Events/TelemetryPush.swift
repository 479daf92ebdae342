import BridgeAPI
import JSONRPC
import MAM
import Support

/// Pushes telemetry to one host. What it does not take in time is dropped, so that nothing depends on it.
final class TelemetryPush: Sendable {
  private struct Subscription {
    let telemetry: Telemetry
    let number: Int
  }

  private let subscription = Lock<Subscription?>(nil)

  /// A second time changes nothing.
  func start(_ telemetry: Telemetry, telling peer: any Peer) {
    let number = telemetry.add { event in _ = peer.notify(LogAriaEvent.name, params: event.jsonBytes) }
    let superfluous = subscription.withLock { subscription in
      if subscription != nil { return true }
      subscription = Subscription(telemetry: telemetry, number: number)
      return false
    }
    if superfluous { telemetry.remove(number) }
  }

  func stop() {
    let subscription = subscription.withLock { $0.take() }
    if let subscription { subscription.telemetry.remove(subscription.number) }
  }
}
