import JSON
import Model

/// Why a question has its answer: the answer first, then its reasons, then the account in question.
package struct Explanation {
  package private(set) var steps: [ExplanationStep] = []
  private let accounts: any AccountPolicies
  /// The account in question; nil if there is none.
  private let asked: AccountReference?
  private var told: Set<Told> = []

  /// A fact that is stated only once, even if it decides several parts of an answer.
  private enum Told: Hashable {
    case account(AccountReference)
    case setting(SettingName, of: AccountReference?)
  }

  /// `answer` is the verdict as a clause, such as "saving to Dropbox is blocked"; `identity` is nil for a question that
  /// is not about an account.
  package init(
    _ answer: String, _ verdict: JSONValue, because reasons: [Reason], about identity: EffectiveIdentity?,
    in accounts: any AccountPolicies
  ) {
    self.accounts = accounts
    asked = identity?.view == nil ? identity?.account ?? accounts.effective : nil
    steps.append(ExplanationStep(step: .verdict, value: verdict, text: answer.asSentence))
    for reason in reasons { add(reason) }
    guard let identity else { return }
    if let view = identity.view {
      addView(view, from: identity.source)
    } else {
      addIdentity(identity)
      addManagement(of: asked)
    }
  }

  /// The accounts of a view. If the lock-down policy applies, no policy of theirs is part of the reasons.
  private mutating func addView(_ view: SharedView, from source: EffectiveIdentity.Source) {
    let shown = view.accounts.map(accounts.named)
    let names = shown.map(\.spoken).listed
    steps.append(ExplanationStep(step: .identity, text: source.text(about: names).asSentence))
    guard PolicyQuestions(of: view, in: accounts).isLockedDown else {
      for account in view.accounts { addManagement(of: account) }
      return
    }
    let cause =
      view.isLocked
      ? "lock-down: the app did not hide a blocked account in this view, which shows \(names)"
      : "lock-down: the view shows several accounts, at least one of them managed: \(names)"
    steps.append(ExplanationStep(step: .lockDown, value: true, text: cause.asSentence, accounts: shown))
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
    for unknown in policy?.effective.unknownRestrictions ?? [] {
      steps.append(
        ExplanationStep(
          step: .setting, policy: unknown.policy, setting: unknown.setting, value: unknown.value, text: unknown.text))
    }
  }

  /// The settings that the question would read, if another setting did not make them void.
  private mutating func addVoid(
    _ area: VoidSetting.Area, of policy: EffectivePolicy, _ other: AccountReference?
  ) {
    for void in policy.voidSettings where void.area == area {
      guard told.insert(.setting(void.name, of: other)).inserted, let value = policy.written(void.name) else {
        continue
      }
      let origin = policy.origin(of: void.name)
      let set = Optional(policy).text(of: void.name, value, origin, isLacking: false)
      steps.append(
        ExplanationStep(
          step: .setting, account: other.map(accounts.named), policy: origin, setting: void.name.rawValue, value: value,
          text: "\(set), which has no effect, because \(void.reason)".asSentence))
    }
  }

  private mutating func add(_ reason: Reason) {
    if let other = reason.other, told.insert(.account(other)).inserted { addManagement(of: other) }
    let policy = (reason.other ?? asked).flatMap(accounts.policy)?.effective
    let value = reason.setting.flatMap { policy?.written($0) } ?? .null
    let isLacking = reason.setting.flatMap { policy?.lacks($0) } ?? false
    let origin = reason.setting.flatMap { policy?.origin(of: $0) }
    if let setting = reason.setting, told.insert(.setting(setting, of: reason.other)).inserted {
      steps.append(
        ExplanationStep(
          step: .setting, account: reason.other.map(accounts.named), policy: origin, setting: setting.rawValue,
          value: value,
          text: policy.text(of: setting, value, origin, isLacking: isLacking).asSentence))
    }
    if let unread = reason.unread, let policy { addVoid(unread, of: policy, reason.other) }
    let answer = reason.part.map { "the answer for \"\($0.name)\" is \($0.value.spoken) because " } ?? ""
    // A setting without a value cannot decide.
    let rule =
      reason.rule == .settingDecides && value.isNull
      ? isLacking ? .typeLacksSetting : .nothingRestricts : reason.rule
    steps.append(
      ExplanationStep(
        step: .rule, part: reason.part?.name, policy: origin, setting: reason.setting?.rawValue,
        value: reason.part?.value ?? value, text: (answer + rule.text).asSentence))
  }
}

extension EffectivePolicy {
  /// One step for each policy that it is merged from.
  fileprivate var explained: [ExplanationStep] {
    sources.map { source in
      let policy = AppliedPolicy(id: source.id, displayName: source.displayName)
      let kind = isDefault ? "the tenant's default policy" : "the policy"
      if source.id == Self.assumedID {
        return ExplanationStep(step: .policy, text: "the request assumes a policy for the account".asSentence)
      }
      let share = isMerged ? "is one of \(sources.count) policies that are merged" : "applies"
      let filter = source.filterNote.map { "; \($0)" } ?? ""
      return ExplanationStep(
        step: .policy, policy: policy, text: "\(kind) \(policy.spoken) \(share)\(filter)".asSentence)
    }
  }

  fileprivate var isMerged: Bool { sources.count > 1 }

  fileprivate func origin(of setting: SettingName) -> AppliedPolicy? {
    guard let id = settings[setting]?.policyID, id != Self.assumedID else { return nil }
    return AppliedPolicy(id: id, displayName: sources.first { $0.id == id }?.displayName ?? "")
  }

  /// The value in Graph's form; nil if the setting has none or is for another platform.
  package func written(_ setting: SettingName) -> JSONValue? {
    value(of: setting).map { setting.definition.write(graph: $0, on: platform) }
  }
}

extension EffectivePolicy? {
  fileprivate func text(
    of setting: SettingName, _ value: JSONValue, _ origin: AppliedPolicy?, isLacking: Bool
  ) -> String {
    let name = setting.rawValue
    if isLacking { return "policies for Windows do not have the setting \(name)" }
    guard !value.isNull else { return "the setting \(name) is not set" }
    let written = value.jsonText.shortened
    guard let origin else { return "the request assumes that \(name) is \(written)" }
    return self?.isMerged == true
      ? "after the merge, \(name) is \(written), from the policy \(origin.spoken)"
      : "the policy \(origin.spoken) sets \(name) to \(written)"
  }
}

extension EffectiveIdentity.Source {
  /// `name` is the effective account; nil if there is none.
  func text(about name: String?) -> String {
    let name = name ?? "no account"
    return switch self {
    case .named: "the question names \(name)"
    case .thread(let thread): "thread \"\(thread)\" acts for \(name)"
    case .window(let window): "window \"\(window)\" shows \(name)"
    case .mainThread(let window):
      "thread \"main\" acts for \(name), which takes precedence over the identity of window \"\(window)\""
    case .process: "no other identity is set, and the process acts for \(name)"
    case .unset: "no identity is set, so the question is about \(name)"
    }
  }
}

extension AccountPolicies {
  /// Whether an account is managed, and if not, why.
  func management(of reference: AccountReference?) -> String {
    guard let reference, reference.kind != .noUser else { return "there is no account, so nothing is managed" }
    let standing = standing(of: reference)
    let name = "the account \(standing.account.spoken)"
    guard policy(of: reference) == nil else {
      return "\(name) is managed" + (standing.isWiping ? " and is being wiped" : "")
    }
    let status = standing.status.map { ", and its last check-in ended with \($0.spoken)" } ?? ""
    return switch standing.place {
    case .unknown: "\(name) is not managed: \(standing.obstacle)"
    case .registered: "\(name) is not managed: it is registered but not enrolled\(status)"
    case .enrolled: "\(name) is not managed: it is enrolled, but has no policy\(status)"
    }
  }

  func named(_ reference: AccountReference) -> Account { standing(of: reference).account }
}

extension AccountStanding {
  /// Why nothing is known of the account.
  fileprivate var obstacle: String {
    guard let renamed else { return "it is not registered in this app" }
    return "the user was renamed, and the account is now \(renamed.spoken); the object id always names it"
  }
}

extension EnrollmentStatus {
  /// With the way out if the user can do something about it.
  fileprivate var spoken: String {
    guard statusCode == .authRequired, let errorString else { return "status \(statusCode.spoken)" }
    let sentence = errorString.hasSuffix(".") ? String(errorString.dropLast()) : errorString
    return "status \(statusCode.spoken): \(sentence)"
  }
}

extension EnrollmentStatusCode {
  fileprivate var spoken: String { "\(sdkValue) (\(rawValue))" }
}

extension Account {
  /// The user principal name, else the object id.
  var spoken: String {
    let name = identity ?? accountId ?? ""
    return name.isEmpty ? "no user" : name
  }
}

extension [String] {
  /// "a", "a and b", "a, b, and c".
  fileprivate var listed: String {
    guard let last, count > 1 else { return first ?? "no account" }
    return dropLast().joined(separator: ", ") + (count > 2 ? "," : "") + " and \(last)"
  }
}

extension AppliedPolicy {
  var spoken: String { displayName.isEmpty ? id : "\"\(displayName)\" (\(id))" }
}

/// The account that a call is about, and what determined it.
package struct EffectiveIdentity: Sendable {
  package enum Source: Sendable {
    /// The call names the account itself.
    case named
    case thread(String)
    case window(String)
    /// The identity of thread main, which takes precedence over the identity of the window.
    case mainThread(over: String)
    case process
    /// No identity is set, which leaves the enrolled account, or in a multi-identity app no account.
    case unset
  }

  /// Nil if no identity is set, and for a view.
  package let account: AccountReference?
  /// What is shown instead of a single account; nil for a single account, and if no identity is set.
  package let view: SharedView?
  package let source: Source

  package init(_ account: AccountReference?, _ source: Source) {
    self.account = account
    view = nil
    self.source = source
  }

  package init(_ view: SharedView, _ source: Source) {
    account = nil
    self.view = view
    self.source = source
  }
}
