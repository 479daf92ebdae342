import JSON
import Model

/// Checks a version, whose missing parts count as 0. A version below the minimum or above the maximum fails.
struct VersionCheck: LaunchCheck {
  enum Subject: Sendable { case sdk, app, system }
  enum Bound: Sendable { case minimum, maximum }

  let subject: Subject
  let bound: Bound
  let limit: VersionNumber
  let action: LaunchAction

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let name = subject.name
    guard let text = subject.version(of: facts.device) else {
      return .notApplicable(.null, "\(name) is unknown; set it with device.set.")
    }
    guard let actual = VersionNumber(text) else {
      return .notApplicable(.string(text), "\(name) \(text) is not a version number.")
    }
    guard fails(actual) else {
      return .passed(.string(text), "\(name) \(text) is not \(bound.side) \(limit).")
    }
    return .failed(.string(text), action, "\(name) \(text) is \(bound.side) \(limit)", notice(facts))
  }

  private func fails(_ actual: VersionNumber) -> Bool {
    switch bound {
    case .minimum: actual < limit
    case .maximum: limit < actual
    }
  }

  private func notice(_ facts: LaunchFacts) -> UserNotice {
    UserNotice(action.title, .version(message), limit.text).updating(at: subject == .app ? facts.appStore : nil)
  }

  private var message: VersionMessage {
    switch (subject, bound, action) {
    case (.sdk, _, .warn): .sdkWarning
    case (.sdk, _, .block): .sdkBlocked
    case (.sdk, _, .wipe): .sdkWiped
    case (.app, _, .warn): .appWarning
    case (.app, _, .block): .appBlocked
    case (.app, _, .wipe): .appWiped
    case (.system, .minimum, .warn): .systemTooLowWarning
    case (.system, .minimum, .block): .systemTooLowBlocked
    case (.system, .minimum, .wipe): .systemTooLowWiped
    case (.system, .maximum, .warn): .systemTooHighWarning
    case (.system, .maximum, .block): .systemTooHighBlocked
    case (.system, .maximum, .wipe): .systemTooHighWiped
    }
  }
}

extension VersionCheck.Subject {
  /// The name of the member of `Device`.
  fileprivate var name: String {
    switch self {
    case .sdk: "sdkVersion"
    case .app: "appVersion"
    case .system: "osVersion"
    }
  }

  fileprivate func version(of device: Device) -> String? {
    switch self {
    case .sdk: device.sdkVersion
    case .app: device.appVersion
    case .system: device.osVersion
    }
  }
}

extension VersionCheck.Bound {
  fileprivate var side: String {
    switch self {
    case .minimum: "below"
    case .maximum: "above"
    }
  }
}

extension LaunchAction {
  /// The title for a message that has none of its own.
  var title: UserMessage {
    switch self {
    case .warn: .alert(.warningTitle)
    case .block: .compliance(.notCompliantTitle)
    case .wipe: .alert(.wipedTitle)
    }
  }
}
