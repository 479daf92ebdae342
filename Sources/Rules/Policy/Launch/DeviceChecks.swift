import JSON
import Model

/// Checks that the device is not jailbroken.
struct JailbreakCheck: LaunchCheck {
  private let action: LaunchAction

  init(_ policy: EffectivePolicy) {
    action = LaunchAction(.appActionIfDeviceComplianceRequired, policy)
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    guard facts.device.jailbroken else {
      return .passed(false, "The device is not jailbroken, according to device.set.")
    }
    let notice = UserNotice(.device(.rootedTitle), .device(.rootedMessage))
    return .failed(true, action, "The device is jailbroken", notice)
  }
}

/// Checks that the device has a PIN of its own.
struct DeviceLockCheck: LaunchCheck {
  private let action: LaunchAction

  init(_ policy: EffectivePolicy) {
    action = LaunchAction(.appActionIfDeviceLockNotSet, policy, of: [.warn, .block, .wipe])
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    if facts.device.devicePinSet { return .passed(true, "The device has a PIN.") }
    let notice = UserNotice(.device(.pinRequiredTitle), .device(.pinRequiredMessage))
    guard facts.device.devicePinReported else {
      return .failed(.null, action.untold, "No host reported devicePinSet with device.set", notice)
    }
    return .failed(false, action, "The device has no PIN (devicePinSet is false)", notice)
  }
}

/// Checks that the device's model or manufacturer is on a list, in any ASCII case.
struct AllowListCheck: LaunchCheck {
  enum Subject: Sendable { case iosModel, androidModel, manufacturer }

  private let subject: Subject
  private let allowed: Set<String>
  private let action: LaunchAction

  init(_ subject: Subject, _ allowed: [String], _ policy: EffectivePolicy) {
    self.subject = subject
    self.allowed = Set(allowed.map(\.lowercasedASCII))
    action = LaunchAction(subject.action, policy)
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let name = subject == .manufacturer ? "manufacturer" : "model"
    guard let actual = subject == .manufacturer ? facts.device.manufacturer : facts.device.model else {
      return .notApplicable(.null, "The device's \(name) is unknown; set it with device.set.")
    }
    guard !allowed.contains(actual.lowercasedASCII) else {
      return .passed(.string(actual), "The device's \(name) \(actual) is on the list.")
    }
    let message: DeviceMessage = action == .wipe ? .modelWiped : .modelBlocked
    let notice = UserNotice(action.title, .device(message), actual)
    return .failed(.string(actual), action, "The device's \(name) \(actual) is not on the list", notice)
  }
}

extension AllowListCheck.Subject {
  fileprivate var action: SettingName {
    switch self {
    case .iosModel: .appActionIfIosDeviceModelNotAllowed
    case .androidModel: .appActionIfAndroidDeviceModelNotAllowed
    case .manufacturer: .appActionIfAndroidDeviceManufacturerNotAllowed
    }
  }
}

/// Checks the threat level that a threat defense app reports. A device without a report is blocked, but never wiped,
/// until the user sets up that app.
struct ThreatCheck: LaunchCheck {
  private let limit: DeviceThreatLevel
  private let action: LaunchAction

  /// Nil if the limit allows every level.
  init?(_ limit: DeviceThreatLevel, _ policy: EffectivePolicy) {
    guard limit != .notConfigured else { return nil }
    self.limit = limit
    action = LaunchAction(.mobileThreatDefenseRemediationAction, policy)
  }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let level = facts.device.threatLevel
    let actual = JSONValue.string(level.rawValue)
    guard level != .notConfigured else {
      let notice = UserNotice(LaunchAction.block.title, .device(.threatDefenseMissing))
      return .failed(
        actual, .block, "No threat defense app reports a threat level (device.set reports none)", notice)
    }
    guard level.rank > limit.rank else {
      return .passed(actual, "The threat level \(level) is not above \(limit).")
    }
    let notice = UserNotice(action.title, .device(.threat))
    return .failed(actual, action, "The threat level \(level) is above \(limit)", notice)
  }
}

extension DeviceThreatLevel {
  /// A higher rank is a worse threat.
  fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
