import JSON
import Model

/// Checks how strong the screen lock is. A complexity that no host reported is low if the device has a PIN, else none. Up
/// to Android 11, every level demands only a screen lock.
struct PasscodeComplexityCheck: LaunchCheck {
  private let least: PasscodeComplexity
  private let action: LaunchAction

  init(_ least: PasscodeComplexity, _ action: RemediationAction) {
    self.least = least
    self.action = LaunchAction(action)
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let device = facts.device
    let actual: PasscodeComplexity = device.passcodeComplexity ?? (device.devicePinSet ? .low : PasscodeComplexity.none)
    let isReported = device.passcodeComplexity != nil
    let basis = device.devicePinReported ? "going by devicePinSet" : "assuming no PIN"
    let source = isReported ? "" : ", \(basis), because passcodeComplexity is not reported"
    let needed: PasscodeComplexity = device.demandsOnlyLock ? .low : least
    guard actual < needed else {
      return .passed(.string(actual.rawValue), "The complexity \(actual) of the screen lock is enough\(source).")
    }
    let cause = "The complexity \(actual) of the screen lock is below \(needed)\(source)"
    let notice = UserNotice(
      .device(.pinRequiredTitle), .device(actual == PasscodeComplexity.none ? .pinRequiredMessage : .lockTooWeak))
    return .failed(.string(actual.rawValue), isAssumed(actual, device) ? action.untold : action, cause, notice)
  }

  /// Whether the lock may be stronger than what is known of it.
  private func isAssumed(_ actual: PasscodeComplexity, _ device: Device) -> Bool {
    device.passcodeComplexity == nil && (actual != PasscodeComplexity.none || !device.devicePinReported)
  }
}

extension Device {
  /// Android 11 and earlier; not if the version is unknown.
  fileprivate var demandsOnlyLock: Bool {
    osVersion.flatMap(VersionNumber.init).flatMap { version in VersionNumber("12").map { version < $0 } } ?? false
  }
}

/// Checks that Android's developer options are off.
struct DeveloperOptionsCheck: LaunchCheck {
  private let action: RemediationAction

  init(_ action: RemediationAction) {
    self.action = action
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let notice = UserNotice(LaunchAction(action).title, .device(.developerOptions))
    guard let isOn = facts.device.developerOptionsEnabled else {
      return .untold("developerOptionsEnabled", action, notice)
    }
    guard isOn else { return .passed(false, "The developer options are off, according to device.set.") }
    return .failed(true, LaunchAction(action), "The developer options are on", notice)
  }
}

/// Checks that Samsung Knox attested the device. Devices by other manufacturers have no Knox.
struct KnoxCheck: LaunchCheck {
  private let action: RemediationAction

  init(_ action: RemediationAction) {
    self.action = action
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let device = facts.device
    if let manufacturer = device.manufacturer, manufacturer.lowercasedASCII != "samsung" {
      return .notApplicable(.null, "Samsung Knox is for devices by Samsung, and the manufacturer is \(manufacturer).")
    }
    let notice = UserNotice(LaunchAction(action).title, .device(.notAttested))
    guard let isAttested = device.knoxAttested else {
      return .untold(device.manufacturer == nil ? "manufacturer and knoxAttested" : "knoxAttested", action, notice)
    }
    guard !isAttested else { return .passed(true, "Samsung Knox attested the device, according to device.set.") }
    return .failed(false, LaunchAction(action), "Samsung Knox did not attest the device", notice)
  }
}

extension LaunchCheckResult {
  /// The result if no host reported what is compared: nothing is wiped for what is not known.
  fileprivate static func untold(_ members: String, _ action: RemediationAction, _ notice: UserNotice) -> Self {
    let cause = "No host reported \(members) with device.set"
    guard action != .blockWhenSettingIsSupported else {
      return .passed(.null, "\(cause), and the policy blocks only where this is reported.")
    }
    return .failed(.null, LaunchAction(action).untold, cause, notice)
  }
}

extension LaunchAction {
  /// The action if the reason for it is not reported but assumed.
  var untold: LaunchAction { self == .wipe ? .block : self }
}
