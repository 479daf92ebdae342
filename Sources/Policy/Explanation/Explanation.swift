import JSON
import Model

/// The steps from a question to its answer, in fields and in words.
package struct Explanation {
  package private(set) var steps: [ExplanationStep] = []
  private let accounts: any AccountPolicies
  /// Who was asked about; nil for nobody in particular.
  private let asked: AccountReference?
  private var told: Set<Told> = []

  /// What is told once, however many members of an answer it decides.
  private enum Told: Hashable {
    case account(AccountReference)
    case setting(SettingName, of: AccountReference?)
  }

  /// `identity` is nil for a question that is about nobody. `question` ends with a question mark; `arguments` say what
  /// is asked beside whom it is about.
  package init(
    _ question: String, _ arguments: JSONObject, verdict: JSONValue, because reasons: [Reason],
    about identity: EffectiveIdentity?, in accounts: any AccountPolicies
  ) {
    self.accounts = accounts
    asked = identity?.account ?? accounts.effective
    if let identity {
      addIdentity(identity)
      addManagement(of: asked)
    }
    for reason in reasons { add(reason) }
    let answer = arguments.isEmpty ? verdict.spokenAnswer : "With \(arguments.listed) \(verdict.spokenClause)."
    steps.append(ExplanationStep(step: .verdict, value: verdict, text: "\(question) \(answer)"))
  }

  private mutating func addIdentity(_ identity: EffectiveIdentity) {
    let account = (identity.account ?? accounts.effective).map(accounts.named)
    let name = account.map(\.spoken)
    steps.append(
      ExplanationStep(step: .identity, account: account, text: identity.source.text(about: name).asSentence))
  }

  private mutating func addManagement(of reference: AccountReference?) {
    let policy = reference.flatMap(accounts.policy)
    steps.append(
      ExplanationStep(
        step: .managed, account: reference.map(accounts.named), value: .bool(policy != nil),
        text: accounts.management(of: reference).asSentence))
    for policy in policy?.effective.explained ?? [] { steps.append(policy) }
  }

  private mutating func add(_ reason: Reason) {
    if let other = reason.other, told.insert(.account(other)).inserted { addManagement(of: other) }
    let policy = (reason.other ?? asked).flatMap(accounts.policy)?.effective
    let value = reason.setting.flatMap { policy?.written($0) } ?? .null
    let origin = reason.setting.flatMap { policy?.origin(of: $0) }
    if let setting = reason.setting, told.insert(.setting(setting, of: reason.other)).inserted {
      steps.append(
        ExplanationStep(
          step: .setting, account: reason.other.map(accounts.named), policy: origin, setting: setting.rawValue,
          value: value, text: setting.text(value, origin).asSentence))
    }
    let answer = reason.part.map { "for \"\($0.name)\" the answer is \($0.value.spoken), because " } ?? ""
    // What is not set says nothing.
    let rule = reason.rule == .settingDecides && value.isNull ? .nothingRestricts : reason.rule
    steps.append(
      ExplanationStep(
        step: .rule, part: reason.part?.name, policy: origin, setting: reason.setting?.rawValue,
        value: reason.part?.value ?? value, text: (answer + rule.text).asSentence))
  }
}

extension EffectivePolicy {
  /// One step for each policy that has part in it.
  fileprivate var explained: [ExplanationStep] {
    sources.map { source in
      let policy = AppliedPolicy(id: source.id, displayName: source.displayName)
      let kind = isDefault ? "the tenant's default policy" : "the policy"
      let share = sources.count == 1 ? "is in force" : "is one of \(sources.count) that are merged"
      return ExplanationStep(step: .policy, policy: policy, text: "\(kind) \(policy.spoken) \(share)".asSentence)
    }
  }

  fileprivate func origin(of setting: SettingName) -> AppliedPolicy? {
    guard let id = settings[setting]?.policyID else { return nil }
    return AppliedPolicy(id: id, displayName: sources.first { $0.id == id }?.displayName ?? "")
  }

  /// As Graph writes what decides here; nil for a setting that does not.
  package func written(_ setting: SettingName) -> JSONValue? {
    value(of: setting).map(setting.definition.write(graph:))
  }
}

extension SettingName {
  fileprivate func text(_ value: JSONValue, _ origin: AppliedPolicy?) -> String {
    if value.isNull { return "the setting \(rawValue) is not set" }
    return "the setting \(rawValue) is \(value.jsonText.shortened)" + (origin.map { ", by \($0.spoken)" } ?? "")
  }
}
