import JSON
import Model

/// A rule with what it found.
package struct LaunchFinding: Sendable {
  package let setting: SettingName
  private let value: JSONValue
  private let policyID: String
  package private(set) var result: LaunchCheckResult

  package init(_ rule: LaunchRule, _ result: LaunchCheckResult) {
    self.init(rule.setting, rule.value, policyID: rule.policyID, result)
  }

  package init(_ setting: SettingName, _ value: JSONValue, policyID: String, _ result: LaunchCheckResult) {
    self.setting = setting
    self.value = value
    self.policyID = policyID
    self.result = result
  }

  package var outcome: LaunchOutcome { result.outcome }

  /// After an answer of the user.
  package mutating func become(_ outcome: LaunchOutcome, _ text: String) {
    let isOver = outcome == .passed
    result = LaunchCheckResult(
      actual: result.actual, outcome: outcome, text: text, notice: isOver ? nil : result.notice)
  }

  /// Whether the policy source may say something else by now.
  package var dependsOnSource: Bool {
    switch setting {
    case .periodOfflineBeforeAccessCheck, .periodOfflineBeforeWipeIsEnforced, .appActionIfUnableToAuthenticateUser,
      .appActionIfAccountIsClockedOut:
      true
    default: false
    }
  }

  /// Whether the app was offline so long that the user signs in again, or the account's data is removed.
  package var isOfflineSignIn: Bool { setting == .periodOfflineBeforeWipeIsEnforced && outcome == .challenge }

  package func report(in language: Language) -> LaunchRuleReport {
    LaunchRuleReport(
      setting: setting.rawValue, value: value, actual: result.actual, outcome: outcome, text: result.text,
      message: result.notice?.message.text(in: language), policyId: policyID)
  }
}
