import JSON
import Model

/// One launch rule of a policy.
package struct LaunchRule: Sendable {
  package let name: LaunchRuleName
  /// The value in Graph's form.
  let value: JSONValue
  let policyID: String
  private let platforms: Set<DevicePlatform>
  private let check: any LaunchCheck

  /// Nil if the policy does not have the rule, or its value requires nothing.
  init?(_ kind: LaunchRules.Kind, _ policy: EffectivePolicy) {
    guard let setting = policy.settings[kind.setting], policy.isDefault || policy.value(of: kind.setting) != nil,
      let check = kind.makeCheck(setting.value, policy)
    else {
      return nil
    }
    let definition = kind.setting.definition
    name = .setting(kind.setting)
    value = definition.write(graph: setting.value, on: policy.platform)
    policyID = setting.policyID
    let policyPlatforms = policy.isDefault ? [.ios, .android, policy.platform] : [policy.platform]
    platforms = check.isAboutDevice ? definition.platforms.intersection(policyPlatforms) : Set(DevicePlatform.allCases)
    self.check = check
  }

  /// The rule that blocks an account whose policies set what mambridge does not know; `nil` if there is nothing like
  /// that, or the tenant does not block it.
  init?(unknownIn policy: EffectivePolicy) {
    let blocking = policy.unknownRestrictions.filter(\.blocks)
    guard let first = blocking.first else { return nil }
    name = .unknownRestrictions
    value = .object(JSONObject(blocking.map { ($0.setting, $0.value) }))
    policyID = first.policy.id
    platforms = Set(DevicePlatform.allCases)
    check = UnknownRestrictionsCheck(cause: first.cause)
  }

  /// Evaluates the rule. A rule for another platform does not apply, whatever the device reports.
  func finding(_ facts: LaunchFacts) -> LaunchFinding {
    let platform = facts.device.platform
    guard platforms.contains(platform) else {
      let names = platforms.map(\.displayName).sorted().joined(separator: " and ")
      let text = "The rule is for \(names), but the device's platform is \(platform.displayName)."
      return LaunchFinding(self, .notApplicable(.null, text))
    }
    return LaunchFinding(self, check.result(facts))
  }
}

/// What a rule is called in reports.
package enum LaunchRuleName: Hashable, Sendable {
  case setting(SettingName)
  /// The member of tenant.json that blocks what mambridge does not know.
  case unknownRestrictions
  /// A wipe that an administrator requested and that is on hold.
  case heldWipe

  package var text: String {
    switch self {
    case .setting(let name): name.rawValue
    case .unknownRestrictions: "unknownRestrictions"
    case .heldWipe: "heldWipe"
    }
  }
}

/// Fails always: the policy sets what mambridge does not know, and the tenant blocks that.
private struct UnknownRestrictionsCheck: LaunchCheck {
  let cause: String
  var isAboutDevice: Bool { false }

  func result(_ facts: LaunchFacts) -> LaunchCheckResult {
    let notice = UserNotice(LaunchAction.block.title, .device(.policyTooNew))
    return .failed(.null, .block, cause, notice)
  }
}

/// The comparison that a rule makes.
protocol LaunchCheck: Sendable {
  /// Whether the check does not apply to a device of another platform than the policy's.
  var isAboutDevice: Bool { get }
  func result(_ facts: LaunchFacts) -> LaunchCheckResult
}

extension LaunchCheck {
  var isAboutDevice: Bool { true }
}

/// The result of a check.
package struct LaunchCheckResult: Sendable {
  let actual: JSONValue
  package let outcome: LaunchOutcome
  /// The reason as a sentence.
  package let text: String
  /// The message to the user; nil if there is none.
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

  /// `cause` is a clause with a capital; the consequence is added.
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
  /// The platforms whose policies have the setting.
  fileprivate var platforms: Set<DevicePlatform> {
    Set(DevicePlatform.allCases.filter { kinds.contains($0.policyKind) })
  }
}
