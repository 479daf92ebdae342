import Model
import Support

/// When something is to be done for an account.
struct DuePlan: Hashable, Sendable {
  /// Nil for at once.
  var checkIn: Timestamp?
  /// Of the device as the last check-in saw it.
  var deviceRevision: Int64
  /// Whether it is not a check-in that is due, but the rest of a wipe.
  var isWipe: Bool
  /// When what its time clock says grows stale; nil when it does not.
  var clockStale: Timestamp?

  init(_ account: StoredAccount) {
    checkIn = account.dueAt
    deviceRevision = account.deviceRevision
    isWipe = account.wipe != nil
    clockStale = isWipe || account.toldClock?.stale == nil ? nil : account.clock?.staleAt
  }

  /// A device that changed since makes the check-in due at once.
  func checkInDue(on device: DeviceRecord) -> Timestamp {
    guard isWipe || deviceRevision == device.revision, let checkIn else { return .atOnce }
    return checkIn
  }

  func due(on device: DeviceRecord) -> Timestamp {
    min(checkInDue(on: device), clockStale ?? .distantFuture)
  }
}

extension Timestamp {
  /// Before every time of a clock.
  static let atOnce = Timestamp(milliseconds: 0)
}

extension AccountState {
  func due(on device: DeviceRecord) -> Timestamp { plan.due(on: device) }
}
