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

/// What a broken rule leads to.
package enum LaunchAction: Sendable, CaseIterable {
  case warn, block, wipe

  init(_ action: RemediationAction) {
    self =
      switch action {
      case .warn: .warn
      case .block, .blockWhenSettingIsSupported: .block
      case .wipe: .wipe
      }
  }

  /// What the policy says; block where it says nothing, or what the rule does not know.
  init(_ setting: SettingName, _ policy: EffectivePolicy, of known: Set<LaunchAction> = [.block, .wipe]) {
    self.init(policy.settings[setting]?.value.word(), of: known)
  }

  init(_ action: RemediationAction?, of known: Set<LaunchAction>) {
    let action = action.map { Self($0) } ?? .block
    self = known.contains(action) ? action : .block
  }

  package var outcome: LaunchOutcome {
    switch self {
    case .warn: .warn
    case .block: .block
    case .wipe: .wipe
    }
  }

  /// A clause.
  var consequence: String {
    switch self {
    case .warn: "the user is warned"
    case .block: "access is blocked"
    case .wipe: "the account's data is removed from the app"
    }
  }
}

/// How a conditional launch stands.
package struct LaunchEnd: Sendable {
  package private(set) var findings: [LaunchFinding]
  /// What is open, in the order in which it is asked.
  package private(set) var challenges: [Challenge] = []
  /// Whether the user does not want to do what the policy asks for.
  package private(set) var isCanceled = false
  /// Whether what the app held of the account is gone, or is being removed.
  package var isWiped = false

  package init(_ findings: [LaunchFinding] = []) {
    self.findings = findings
  }

  package var verdict: ConditionalLaunch.Verdict {
    if isWiped || finds(.wipe) { return .wipe }
    if finds(.block) || finds(.challenge) { return .block }
    return finds(.warn) ? .warn : .allow
  }

  /// The rule that decided; nil where none did.
  package var decisive: LaunchFinding? {
    switch verdict {
    case .allow: nil
    case .warn: first(.warn)
    case .block: first(.block) ?? first(.challenge)
    case .wipe: first(.wipe)
    }
  }

  /// Whether a question is not worth asking any more.
  package var isOver: Bool { isCanceled || isWiped || finds(.wipe) || finds(.block) }

  package var warnings: [LaunchFinding] { findings.filter { $0.outcome == .warn } }

  /// The first rule that wants the user to sign in.
  package var signIn: LaunchFinding? { first(.challenge) { $0.setting != .pinRequired } }

  package func finds(_ outcome: LaunchOutcome) -> Bool { findings.contains { $0.outcome == outcome } }

  private func first(_ outcome: LaunchOutcome, where fits: (LaunchFinding) -> Bool = { _ in true }) -> LaunchFinding? {
    findings.first { $0.outcome == outcome && fits($0) }
  }

  package mutating func add(_ finding: LaunchFinding) { findings.append(finding) }

  package mutating func ask(_ challenge: Challenge) { challenges.append(challenge) }

  package mutating func cancel() { isCanceled = true }

  /// All findings of one outcome get another one.
  package mutating func turn(
    _ outcome: LaunchOutcome, into new: LaunchOutcome, _ text: String,
    where fits: (LaunchFinding) -> Bool = { _ in true }
  ) {
    for index in findings.indices where findings[index].outcome == outcome && fits(findings[index]) {
      findings[index].become(new, text)
    }
  }
}
