import JSON
import MAM
import Model
import SourceProtocol
import Support
import Tenancy

/// What a source says about itself, as the answer to `source.open`.
struct SourceTraits: Sendable {
  let name: String
  let authentication: TenantAuthentication?
  let canPush: Bool
  /// Whether the source gets tokens itself.
  let canSignIn: Bool
  /// Whether the source wants to know what could not be carried out.
  let takesFailures: Bool
  /// Whether the tenant is for development alone.
  let isDevelopment: Bool

  init(_ answer: JSONNode) throws(SourceFault) {
    guard let version = SourceIntroduction.protocolVersion.given(in: answer) else {
      throw SourceFault(.broken, "The policy source does not say which version of the protocol it speaks.")
    }
    guard version == SourceIntroduction.declaredVersion else {
      throw SourceFault(
        .broken,
        "The policy source speaks version \(version) of the protocol, but mambridge speaks version "
          + "\(SourceIntroduction.declaredVersion). Use versions of both that match.")
    }
    name = SourceIntroduction.name.given(in: answer) ?? "the policy source"
    canPush = SourceIntroduction.push.given(in: answer) ?? false
    canSignIn = SourceIntroduction.signIn.given(in: answer) ?? false
    takesFailures = SourceIntroduction.failures.given(in: answer) ?? false
    isDevelopment = SourceIntroduction.development.given(in: answer) ?? false
    authentication = try answer.object(SourceIntroduction.authentication.name).map { object throws(SourceFault) in
      try TenantAuthentication(object)
    }
  }
}

extension SourceTraits {
  /// Keeps real accounts away from tenants that are for development, and the reverse: whoever may order wipes in one
  /// must never reach the other.
  func check(isDevelopmentState: Bool) throws(SourceFault) {
    guard isDevelopment != isDevelopmentState else { return }
    throw SourceFault(
      .cannotStart,
      isDevelopment
        ? "The tenant is for development, and this state is not marked for that. Use the state that mambridge-tenant dev "
          + "prints as MAMBRIDGE_STATE, never one with real accounts."
        : "This state is for a development tenant alone, and the tenant is none. Use another state, with --state.")
  }
}

extension JSONNode {
  /// A member that is an object; `nil` if it is absent, or anything else.
  fileprivate func object(_ name: String) -> JSONNode? {
    member(name).flatMap { $0.memberCount == nil ? nil : $0 }
  }
}

extension TenantAuthentication {
  fileprivate init(_ object: JSONNode) throws(SourceFault) {
    guard let authority = SourceAuthentication.authority.given(in: object),
      let scopes = SourceAuthentication.scopes.given(in: object), !scopes.isEmpty
    else {
      throw SourceFault(.broken, "The policy source asks for tokens, but does not name their authority and scopes.")
    }
    self.init(
      authority: authority, resource: SourceAuthentication.resource.given(in: object) ?? authority, scopes: scopes,
      clientId: SourceAuthentication.clientId.given(in: object))
  }
}

extension AccessToken {
  /// From the answer to `source.acquireToken`.
  init(_ answer: JSONNode) throws(SourceFault) {
    let text = AcquiredToken.accessToken.given(in: answer)
    guard let token = text.map({ HostSecret($0.bytes) }), token.hasFormOfToken else {
      throw SourceFault(.broken, "The policy source answered source.acquireToken without a token that can be sent.")
    }
    let expires = AcquiredToken.expires.given(in: answer).map { Timestamp($0) }
    if case .some(nil) = expires {
      throw SourceFault(.broken, "The policy source answered source.acquireToken with a time that is not RFC 3339.")
    }
    self.init(token: token, expires: expires ?? nil)
  }
}

/// What a source says with `source.didChange`.
struct SourceChange {
  private static let longestSpread = 3600.0

  /// The account that has to check in; `nil` for all.
  let account: AccountReference?
  let spread: Duration

  init(_ params: JSONNode?) {
    typealias Params = ToBridge.DidChange.Params
    let account = params?.object(Params.account.name)
    let id: String? = account.flatMap { SourceAccount.accountId.given(in: $0) }
    let identity: String? = account.flatMap { SourceAccount.identity.given(in: $0) }
    let seconds = params.flatMap { Params.spread.given(in: $0) } ?? 0
    self.account = (id ?? identity).map { AccountReference($0) }
    spread = .seconds(max(0, min(seconds, Self.longestSpread)))
  }
}

extension SourcePrompt {
  private typealias Params = ToBridge.Prompt.Params

  /// How long a user has if the source does not say, and at most.
  private static let usualTime = Duration.seconds(15 * 60)
  private static let longestTime = Duration.seconds(3600)
  /// The source says first that its prompt has expired.
  private static let grace = Duration.seconds(2)

  /// The most characters of a text.
  private static let longestText = 2000

  /// From the params of `source.prompt`. `nil` if they do not say on which page to sign in.
  init?(_ params: JSONNode) {
    guard let address = Params.verificationUri.given(in: params), address.count <= Self.longestText,
      address.hasPrefix("https://") || address.hasPrefix("http://")
    else { return nil }
    let now = SystemClock().now
    let latest = now.advanced(by: Self.longestTime.components.seconds * 1000)
    let usual = now.advanced(by: Self.usualTime.components.seconds * 1000)
    self.init(
      verificationUri: address, userCode: Self.short(Params.userCode.given(in: params)),
      message: Self.short(Params.message.given(in: params)),
      expires: min(latest, Params.expires.given(in: params).flatMap { Timestamp($0) } ?? usual))
  }

  private static func short(_ text: String?) -> String { String((text ?? "").prefix(longestText)) }

  var deadline: ContinuousClock.Instant {
    let rest = max(0, expires.milliseconds - SystemClock().now.milliseconds)
    return .now + .milliseconds(rest) + Self.grace
  }
}

extension SourceNews {
  /// From the answer to `source.checkIn`.
  init(_ node: JSONNode) throws(SourceFault) {
    try Self.checkVersion(node)
    guard let answer = try? SourceAnswer.decode(node), let text = answer.outcome.value?.stringValue else {
      throw SourceFault(.broken, "The policy source answered without an outcome.")
    }
    guard let outcome = SourceAnswer.Outcome(rawValue: text) else {
      throw SourceFault(.broken, "The policy source answered with an outcome that mambridge does not know: \(text).")
    }
    if outcome != .userUnknown { try Self.checkIds(answer.user.value) }
    let tenant: TenantSnapshot
    do throws(TenantError) {
      tenant = try TenantSnapshot(answer, outcome)
    } catch {
      throw .unreadableAnswer(error)
    }
    self.init(
      tenant, nextCheckIn: answer.nextCheckIn.value.map(Self.wait), etag: answer.etag.value,
      isUnchanged: outcome == .notModified)
    absent = answer.absentMembers
    hold = try Self.hold(node.member(SourceAnswer.hold.name))
  }

  /// `nil` if wipes are not on hold. A hold that cannot be read is never none.
  fileprivate static func hold(_ member: JSONNode?) throws(SourceFault) -> SourceHold? {
    func unreadable(_ reason: String) -> SourceFault {
      .unreadableAnswer(.unparsable(file: "answer", reason: reason))
    }
    let name = SourceAnswer.hold.name
    guard let member, !member.value.isNull else { return nil }
    let answered: AnsweredHold
    do throws(JSONDecodingError) { answered = try AnsweredHold.decode(member) } catch {
      throw unreadable(error.inside(name).message)
    }
    guard let since = Timestamp(answered.since) else {
      throw unreadable("/\(name)/since must be a time in RFC 3339")
    }
    // The store takes a time of 0 for none.
    let hold = WipeHold(
      why: String(answered.why.prefix(WipeHold.longestReason)), since: max(since, Timestamp(milliseconds: 1)))
    return SourceHold(hold, isOrdered: answered.ordered)
  }

  /// A source need not say the version of its answers.
  private static func checkVersion(_ node: JSONNode) throws(SourceFault) {
    guard let version = (try? AnswerVersion.decode(node))?.version.value, !version.isNull else { return }
    guard version.numberValue == Double(SourceIntroduction.declaredVersion) else {
      throw SourceFault(
        .broken,
        "The policy source answered in version \(version.shortText) of the messages, but mambridge knows version "
          + "\(SourceIntroduction.declaredVersion). Use versions of both that match.")
    }
  }

  /// Accounts are kept by these ids, so nothing else is accepted.
  private static func checkIds(_ user: JSONValue?) throws(SourceFault) {
    for name in [AnsweredUser.id.name, AnsweredUser.tenantId.name] where user?[name]?.stringValue?.isGUID != true {
      throw SourceFault(.broken, "The policy source answered with a user whose \(name) is not a GUID.")
    }
  }

  /// Neither so short that the source is asked all the time, nor so long that a wipe is late.
  private static func wait(_ seconds: Double) -> Duration { .seconds(min(max(seconds, 60), 24 * 3600)) }
}

extension HoldNews {
  /// From the data of an error. What is absent or cannot be read says nothing.
  fileprivate init(_ member: JSONValue?) {
    guard let member, let text = try? JSONDocument(parsing: member.jsonText) else {
      self = .nothing
      return
    }
    do throws(SourceFault) {
      self = try SourceNews.hold(text.root).map { .held($0) } ?? .lifted
    } catch {
      self = .nothing
    }
  }
}

extension SourceFault {
  private static func kind(of code: SourceErrorCode?) -> Kind {
    switch code {
    case .signInNeeded: .signInNeeded
    case .unreachable: .unreachable
    case .switchedOff: .disabled
    case .signInCanceled: .signInCanceled
    case .unknownRegistration, nil: .broken
    }
  }

  init(_ failure: SourceConnection.Failure, asking method: String) {
    switch failure {
    case .error(let code, let message, let data):
      let retryAfter = data.retryAfter.map { Duration.seconds(max(0, min($0, 24 * 3600))) }
      let text = "The policy source answered \(method) with error \(code): \(message)"
      self.init(Self.kind(of: SourceErrorCode(rawValue: code)), text, retryAfter: retryAfter)
      (claims, hold) = (data.claims, HoldNews(data.hold?.value))
    case .late: self.init(.late, "The policy source did not answer \(method) in time. mambridge asks again.")
    case .cancelled: self.init(.late, "The call was cancelled before the policy source answered.")
    case .over(let reason): self.init(.broken, "The policy source failed: \(reason). mambridge starts it again.")
    }
  }
}
