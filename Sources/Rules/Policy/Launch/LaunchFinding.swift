import JSON
import Model

/// A rule with its result.
package struct LaunchFinding: Sendable {
  package let name: LaunchRuleName
  private let value: JSONValue
  private let policyID: String
  package private(set) var result: LaunchCheckResult
  /// Why the rule requires a wipe that is on hold; `nil` if it does not.
  package private(set) var heldText: String?

  package init(_ rule: LaunchRule, _ result: LaunchCheckResult) {
    self.init(rule.name, rule.value, policyID: rule.policyID, result)
  }

  package init(_ setting: SettingName, _ value: JSONValue, policyID: String, _ result: LaunchCheckResult) {
    self.init(.setting(setting), value, policyID: policyID, result)
  }

  /// A wipe that waits, for a `reason` that is no rule of the policy.
  package init(waitingFor reason: String, _ hold: WipeHold) {
    let text = "\(reason.prefix(1).uppercased() + reason.dropFirst())."
    self.init(.heldWipe, .null, policyID: "", .held(.null, text, hold))
  }

  private init(_ name: LaunchRuleName, _ value: JSONValue, policyID: String, _ result: LaunchCheckResult) {
    self.name = name
    self.value = value
    self.policyID = policyID
    self.result = result
  }

  /// `nil` if the rule is not one of the policy's settings.
  package var setting: SettingName? { if case .setting(let setting) = name { setting } else { nil } }
  package var outcome: LaunchOutcome { result.outcome }

  /// Replaces the result after the user's answer.
  package mutating func become(_ outcome: LaunchOutcome, _ text: String) {
    let isOver = outcome == .passed
    result = LaunchCheckResult(
      actual: result.actual, outcome: outcome, text: text, notice: isOver ? nil : result.notice)
  }

  /// The finding while wipes are on hold: a wipe becomes a block.
  package func held(by hold: WipeHold) -> LaunchFinding {
    guard outcome == .wipe else { return self }
    var held = self
    held.result = .held(result.actual, result.text, hold)
    held.heldText = result.text
    return held
  }

  /// Whether a check-in may change the result.
  package var dependsOnSource: Bool {
    if heldText != nil { return true }
    return switch setting {
    case .periodOfflineBeforeAccessCheck, .periodOfflineBeforeWipeIsEnforced, .appActionIfUnableToAuthenticateUser,
      .appActionIfAccountIsClockedOut, nil:
      true
    default: false
    }
  }

  /// Whether the app was offline for so long that the user must sign in again, or the account's data is removed.
  package var isLastSignIn: Bool {
    setting == .periodOfflineBeforeWipeIsEnforced && outcome == .challenge
      && result.notice?.message == UserText(.account(.offlineWipeMessage))
  }

  package func report(in language: Language) -> LaunchRuleReport {
    LaunchRuleReport(
      setting: name.text, value: value, actual: result.actual, outcome: outcome, text: result.text,
      message: result.notice?.message.text(in: language), policyId: policyID)
  }
}

extension LaunchCheckResult {
  fileprivate static func held(_ actual: JSONValue, _ text: String, _ hold: WipeHold) -> LaunchCheckResult {
    LaunchCheckResult(
      actual: actual, outcome: .block, text: "\(text) \(hold.text) Access is blocked instead.",
      notice: UserNotice(LaunchAction.block.title, .alert(.heldMessage)))
  }
}

/// What happens if a rule fails.
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

  /// The policy's action; block if the policy has none or the rule does not know it.
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

  /// The consequence as a clause.
  var consequence: String {
    switch self {
    case .warn: "the user is warned"
    case .block: "access is blocked"
    case .wipe: "the account's data is removed from the app"
    }
  }
}

/// The state of a conditional launch.
package struct LaunchEnd: Sendable {
  package private(set) var findings: [LaunchFinding]
  /// The open challenges, in the order in which the user is asked.
  package private(set) var challenges: [Challenge] = []
  /// Whether the user declined what the policy asks for.
  package private(set) var isCanceled = false
  /// Whether the account's data is removed from the app, or is being removed.
  package var isWiped = false
  /// Turns each wipe into a block; `nil` if wipes are not on hold.
  private var hold: WipeHold?

  package init(_ findings: [LaunchFinding] = [], held hold: WipeHold? = nil) {
    self.findings = findings
    if let hold { self.hold(by: hold) }
  }

  /// Blocks instead of wiping from now on.
  package mutating func hold(by hold: WipeHold) {
    self.hold = hold
    findings = findings.map { $0.held(by: hold) }
  }

  /// The first rule whose wipe is on hold.
  package var heldRule: LaunchFinding? { findings.first { $0.heldText != nil } }

  package var verdict: LaunchVerdict {
    if isWiped || finds(.wipe) { return .wipe }
    if finds(.block) || finds(.challenge) { return .block }
    return finds(.warn) ? .warn : .allow
  }

  /// The rule that decided; nil if none did.
  package var decisive: LaunchFinding? {
    switch verdict {
    case .allow: nil
    case .warn: first(.warn)
    case .block: first(.block) ?? first(.challenge)
    case .wipe: first(.wipe)
    }
  }

  /// Whether further questions to the user are pointless.
  package var isOver: Bool { isCanceled || isWiped || finds(.wipe) || finds(.block) }

  /// Whether only an answer of the user is missing.
  package var asks: Bool { !isOver && (finds(.challenge) || finds(.warn)) }

  package var warnings: [LaunchFinding] { findings.filter { $0.outcome == .warn } }

  /// The first rule that requires the user to sign in.
  package var signIn: LaunchFinding? { first(.challenge) { $0.setting != .pinRequired } }

  package func finds(_ outcome: LaunchOutcome) -> Bool { findings.contains { $0.outcome == outcome } }

  private func first(_ outcome: LaunchOutcome, where fits: (LaunchFinding) -> Bool = { _ in true }) -> LaunchFinding? {
    findings.first { $0.outcome == outcome && fits($0) }
  }

  package mutating func add(_ finding: LaunchFinding) { findings.append(hold.map(finding.held) ?? finding) }

  package mutating func ask(_ challenge: Challenge) { challenges.append(challenge) }

  package mutating func cancel() { isCanceled = true }

  /// Gives all findings with one outcome another outcome.
  package mutating func turn(
    _ outcome: LaunchOutcome, into new: LaunchOutcome, _ text: String,
    where fits: (LaunchFinding) -> Bool = { _ in true }
  ) {
    for index in findings.indices where findings[index].outcome == outcome && fits(findings[index]) {
      findings[index].become(new, text)
      if let hold { findings[index] = findings[index].held(by: hold) }
    }
  }
}
