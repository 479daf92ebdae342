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

extension EffectiveIdentity.Source {
  /// `name` is who holds; nil for nobody.
  func text(about name: String?) -> String {
    let name = name ?? "nobody"
    return switch self {
    case .named: "the question names \(name)"
    case .thread(let thread): "thread \"\(thread)\" acts for \(name)"
    case .window(let window): "window \"\(window)\" shows \(name)"
    case .mainThread(let window): "thread \"main\" acts for \(name), which wins over what window \"\(window)\" shows"
    case .process: "no other identity is set, and the process acts for \(name)"
    case .unset: "no identity is set, so that the question is about \(name)"
    }
  }
}

extension AccountPolicies {
  /// Whether an account is managed, and why not.
  func management(of reference: AccountReference?) -> String {
    guard let reference, reference.kind != .noUser else { return "there is no account, so that nothing is managed" }
    let standing = standing(of: reference)
    let name = "the account \(standing.account.spoken)"
    guard policy(of: reference) == nil else {
      return "\(name) is managed" + (standing.isWiping ? ", and is being wiped" : "")
    }
    let status = standing.status.map { ", and its last check-in ended with \($0.statusCode.spoken)" } ?? ""
    return switch standing.place {
    case .unknown: "\(name) is not managed: it is not registered in this app"
    case .registered: "\(name) is not managed: it is registered only\(status)"
    case .enrolled: "\(name) is not managed: it is enrolled without policy\(status)"
    }
  }

  func named(_ reference: AccountReference) -> Account { standing(of: reference).account }
}

extension EnrollmentStatusCode {
  fileprivate var spoken: String { "\(sdkValue), \(rawValue)" }
}

extension Account {
  /// The name that people know.
  var spoken: String {
    let name = identity ?? accountId ?? ""
    return name.isEmpty ? "no user" : name
  }
}

extension AppliedPolicy {
  var spoken: String { displayName.isEmpty ? id : "\"\(displayName)\" (\(id))" }
}

/// Who holds for a call, and where that comes from.
package struct EffectiveIdentity: Sendable {
  package enum Source: Sendable {
    /// The call names the account itself.
    case named
    case thread(String)
    case window(String)
    /// The identity of thread main, which wins over that of the window.
    case mainThread(over: String)
    case process
    /// Nobody was set anywhere, so that the enrolled account holds, in a multi-identity app nobody.
    case unset
  }

  /// Nil where no identity is set.
  package let account: AccountReference?
  package let source: Source

  package init(_ account: AccountReference?, _ source: Source) {
    self.account = account
    self.source = source
  }
}
