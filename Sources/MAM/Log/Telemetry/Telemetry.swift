import Model
import Support

/// Tells those who listen in this process what was done: launches, enrollment calls, and what they brought.
///
/// Nothing is stored and nothing is sent anywhere: whether anything leaves the machine is the listeners' affair. Nothing is
/// told while MAMTelemetryDisabled is set, or telemetryEnabled is not.
package final class Telemetry: Sendable {
  package typealias Listener = @Sendable (TelemetryEvent) -> Void

  private struct State {
    var lastNumber = 0
    var listeners: [Int: Listener] = [:]
  }

  private let state = Lock(State())

  /// The number is for `remove`. A listener runs where something was done, so it must not block.
  package func add(_ listener: @escaping Listener) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.listeners[state.lastNumber] = listener
      return state.lastNumber
    }
  }

  package func remove(_ number: Int) {
    let removed = state.withLock { $0.listeners.removeValue(forKey: number) }
    // Released outside of the lock.
    withExtendedLifetime(removed) {}
  }

  /// In the order of the reports, to each listener.
  func tell(_ reports: [TelemetryReport], _ core: CoreState) {
    let listeners = state.withLock { Array($0.listeners.values) }
    guard !listeners.isEmpty, core.settings.isTelemetryOn else { return }
    for report in reports {
      let event = TelemetryEvent(report, core)
      for listener in listeners { listener(event) }
    }
  }
}

extension Settings {
  fileprivate var isTelemetryOn: Bool { bool(.telemetryEnabled) && !bool(.mamTelemetryDisabled) }
}

extension TelemetryEvent {
  fileprivate init(_ report: TelemetryReport, _ core: CoreState) {
    let account = report.accountId.flatMap { core.account(AccountReference($0)) }
    let environment = ["environment": core.settings.bool(.mamTelemetryUsePPE) ? "ppe" : "production"]
    self.init(
      accountId: report.accountId, name: report.name,
      properties: report.properties.merging(environment) { own, _ in own }, privacyLevel: report.kind.privacyLevel,
      privacyDataTypes: report.kind.privacyDataTypes, priorityLevel: report.isFailure ? .high : .normal,
      tenantID: account?.tenantId)
  }
}
