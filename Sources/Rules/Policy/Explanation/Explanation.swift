import JSON
import Model

/// Why a question has its answer: the answer first, then its reasons, then the account in question.
package struct Explanation {
  package private(set) var steps: [ExplanationStep] = []
  private let accounts: any AccountPolicies
  /// The account in question; nil if there is none.
  private let asked: Party?
  private var told: Set<Told> = []

  /// An account, with what is known of it.
  private struct Party {
    let reference: AccountReference
    let standing: AccountStanding
    let policy: CompiledPolicy?

    init(_ reference: AccountReference, in accounts: any AccountPolicies) {
      self.reference = reference
      standing = accounts.standing(of: reference)
      policy = accounts.policy(of: reference)
    }

    /// Whether the account is managed, and if not, why; `nil` for no user.
    var management: String? {
      reference.kind == .noUser ? nil : standing.management(isManaged: policy != nil)
    }
  }

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
    let account = identity?.view == nil ? identity?.account ?? accounts.effective : nil
    asked = account.map { Party($0, in: accounts) }
    steps.reserveCapacity(8)
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
      for account in view.accounts { addManagement(of: Party(account, in: accounts)) }
      return
    }
    let cause =
      view.isLocked
      ? "lock-down: the app did not hide a blocked account in this view, which shows \(names)"
      : "lock-down: the view shows several accounts, at least one of them managed: \(names)"
    steps.append(ExplanationStep(step: .lockDown, value: true, text: cause.asSentence, accounts: shown))
  }

  private mutating func addIdentity(_ identity: EffectiveIdentity) {
    let account = asked?.standing.account
    let name = account.map(\.spoken)
    steps.append(
      ExplanationStep(step: .identity, account: account, text: identity.source.text(about: name).asSentence))
  }

  private mutating func addManagement(of party: Party?) {
    let management = party?.management ?? "there is no account, so nothing is managed"
    steps.append(
      ExplanationStep(
        step: .managed, account: party?.standing.account, value: .bool(party?.policy != nil),
        text: management.asSentence))
    if let policy = party?.policy { steps.append(contentsOf: policy.explained) }
  }

  /// The settings that the question would read, if another setting did not make them void.
  private mutating func addVoid(
    _ area: VoidSetting.Area, of policy: CompiledPolicy, _ other: AccountReference?
  ) {
    for void in policy.voidSettings(of: area) {
      let setting = policy.explained(void.name)
      add(void.name, setting, "\(setting.text), which has no effect, because \(void.reason)", of: other)
    }
  }

  /// A setting of the policy of the account in question, or of `other`, unless it was stated before.
  private mutating func add(
    _ name: SettingName, _ setting: ExplainedSetting, _ text: String, of other: AccountReference?
  ) {
    guard told.insert(.setting(name, of: other)).inserted else { return }
    steps.append(
      ExplanationStep(
        step: .setting, account: other.map(accounts.named), policy: setting.origin, setting: name.rawValue,
        value: setting.value, text: text.asSentence))
  }

  private mutating func add(_ reason: Reason) {
    if let other = reason.other, told.insert(.account(other)).inserted {
      addManagement(of: Party(other, in: accounts))
    }
    let policy = reason.other == nil ? asked?.policy : reason.other.flatMap(accounts.policy)
    let setting = reason.setting.map { policy?.explained($0) ?? ExplainedSetting($0, in: nil) }
    if let name = reason.setting, let setting { add(name, setting, setting.text, of: reason.other) }
    if let unread = reason.unread, let policy { addVoid(unread, of: policy, reason.other) }
    let answer = reason.part.map { "the answer for \"\($0.name)\" is \($0.value.spoken) because " } ?? ""
    // A setting without a value cannot decide.
    let value = setting?.value ?? .null
    let rule =
      reason.rule == .settingDecides && value.isNull
      ? setting?.isLacking == true ? .typeLacksSetting : .nothingRestricts : reason.rule
    steps.append(
      ExplanationStep(
        step: .rule, part: reason.part?.name, policy: setting?.origin, setting: reason.setting?.rawValue,
        value: reason.part?.value ?? value, text: (answer + rule.text).asSentence))
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
  func named(_ reference: AccountReference) -> Account { standing(of: reference).account }
}

extension AccountStanding {
  /// Whether the account is managed, and if not, why.
  func management(isManaged: Bool) -> String {
    let name = "the account \(account.spoken)"
    guard !isManaged else { return "\(name) is managed" + (isWiping ? " and is being wiped" : "") }
    let status = status.map { ", and its last check-in ended with \($0.spoken)" } ?? ""
    return switch place {
    case .unknown: "\(name) is not managed: \(obstacle)"
    case .registered: "\(name) is not managed: it is registered but not enrolled\(status)"
    case .enrolled: "\(name) is not managed: it is enrolled, but has no policy\(status)"
    }
  }

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
