import JSON
import Model

/// One rule of a policy.
package struct LaunchRule: Sendable {
  package let setting: SettingName
  /// As Microsoft Graph writes it.
  let value: JSONValue
  let policyID: String
  private let platforms: Set<DevicePlatform>
  private let check: any LaunchCheck

  /// Nil where the policy does not have it, or its value asks for nothing.
  init?(_ kind: LaunchRules.Kind, _ policy: EffectivePolicy) {
    guard let setting = policy.settings[kind.setting], let check = kind.makeCheck(setting.value, policy) else {
      return nil
    }
    let definition = kind.setting.definition
    self.setting = kind.setting
    value = definition.write(graph: setting.value)
    policyID = setting.policyID
    let policyPlatforms = policy.isDefault ? DevicePlatform.allCases : [policy.platform]
    platforms = check.isAboutDevice ? definition.platforms.intersection(policyPlatforms) : Set(DevicePlatform.allCases)
    self.check = check
  }

  /// Not of a device whose platform it is not for, whatever it says.
  func finding(_ facts: LaunchFacts) -> LaunchFinding {
    let platform = facts.device.platform
    guard platforms.contains(platform) else {
      let text = "It is a rule for \(platform.other.displayName), and the device's platform is \(platform.displayName)."
      return LaunchFinding(self, .notApplicable(.null, text))
    }
    return LaunchFinding(self, check.result(facts))
  }
}

/// How a rule compares what is there with what is wanted.
protocol LaunchCheck: Sendable {
  /// Whether a device of another platform than the policy's has nothing to do with it.
  var isAboutDevice: Bool { get }
  func result(_ facts: LaunchFacts) -> LaunchCheckResult
}

extension LaunchCheck {
  var isAboutDevice: Bool { true }
}

/// What a comparison came to.
package struct LaunchCheckResult: Sendable {
  let actual: JSONValue
  package let outcome: LaunchOutcome
  /// A whole sentence.
  package let text: String
  /// What the user is told; nil where there is nothing to tell.
  package let notice: UserNotice?

  package init(actual: JSONValue, outcome: LaunchOutcome, text: String, notice: UserNotice?) {
    self.actual = actual
    self.outcome = outcome
    self.text = text
    self.notice = notice
  }

  package static func passed(_ actual: JSONValue, _ text: String) -> Self {
    Self(actual: actual, outcome: .passed, text: text, notice: nil)
  }

  static func notApplicable(_ actual: JSONValue, _ text: String) -> Self {
    Self(actual: actual, outcome: .notApplicable, text: text, notice: nil)
  }

  /// `cause` is a clause; what follows from it is added.
  package static func failed(
    _ actual: JSONValue, _ action: LaunchAction, _ cause: String, _ notice: UserNotice
  ) -> Self {
    Self(actual: actual, outcome: action.outcome, text: "\(cause): \(action.consequence).", notice: notice)
  }

  static func challenge(_ actual: JSONValue, _ text: String, _ notice: UserNotice) -> Self {
    Self(actual: actual, outcome: .challenge, text: text, notice: notice)
  }
}

extension SettingDefinition {
  /// Those whose policies have it.
  fileprivate var platforms: Set<DevicePlatform> {
    Set(DevicePlatform.allCases.filter { kinds.contains($0 == .ios ? .ios : .android) })
  }
}

extension DevicePlatform {
  fileprivate var displayName: String {
    switch self {
    case .ios: "iOS"
    case .android: "Android"
    }
  }

  fileprivate var other: DevicePlatform { self == .ios ? .android : .ios }
}
