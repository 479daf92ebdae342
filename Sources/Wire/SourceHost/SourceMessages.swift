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

  init(_ answer: JSONValue) throws(SourceFault) {
    guard let version = answer["protocolVersion"]?.integerValue else {
      throw SourceFault(.broken, "The policy source does not say which version of the protocol it speaks.")
    }
    guard version == SourceIntroduction.protocolVersion else {
      throw SourceFault(
        .broken,
        "The policy source speaks version \(version) of the protocol, but mambridge speaks version "
          + "\(SourceIntroduction.protocolVersion). Use versions of both that match.")
    }
    name = answer["name"]?.stringValue ?? "the policy source"
    canPush = answer["push"]?.boolValue ?? false
    canSignIn = answer["signIn"]?.boolValue ?? false
    takesFailures = answer["failures"]?.boolValue ?? false
    authentication = try answer["authentication"]?.objectValue.map { object throws(SourceFault) in
      try TenantAuthentication(open: object)
    }
  }
}

extension TenantAuthentication {
  fileprivate init(open object: JSONObject) throws(SourceFault) {
    guard let authority = object["authority"]?.stringValue, let scopes = object["scopes"]?.strings, !scopes.isEmpty
    else {
      throw SourceFault(.broken, "The policy source asks for tokens, but does not name their authority and scopes.")
    }
    self.init(
      authority: authority, resource: object["resource"]?.stringValue ?? authority, scopes: scopes,
      clientId: object["clientId"]?.stringValue)
  }
}

extension AccessToken {
  /// From the answer to `source.acquireToken`.
  init(_ answer: SourceConnection.Answer) throws(SourceFault) {
    guard let token = answer.token, token.hasFormOfToken else {
      throw SourceFault(.broken, "The policy source answered source.acquireToken without a token that can be sent.")
    }
    let expires = answer.value["expires"]?.stringValue.map { Timestamp($0) }
    if case .some(nil) = expires {
      throw SourceFault(.broken, "The policy source answered source.acquireToken with a time that is not RFC 3339.")
    }
    self.init(token: token, expires: expires ?? nil)
  }
}

extension SourcePrompt {
  /// How long a user has if the source does not say, and at most.
  private static let usualTime = Duration.seconds(15 * 60)
  private static let longestTime = Duration.seconds(3600)
  /// The source says first that its prompt has expired.
  private static let grace = Duration.seconds(2)

  /// The most characters of a text.
  private static let longestText = 2000

  /// From the params of `source.prompt`. `nil` if they do not say on which page to sign in.
  init?(_ params: JSONValue) {
    guard let address = params["verificationUri"]?.stringValue, address.count <= Self.longestText,
      address.hasPrefix("https://") || address.hasPrefix("http://")
    else { return nil }
    let now = SystemClock().now
    let latest = now.advanced(by: Self.longestTime.components.seconds * 1000)
    let usual = now.advanced(by: Self.usualTime.components.seconds * 1000)
    self.init(
      verificationUri: address, userCode: Self.text(params["userCode"]), message: Self.text(params["message"]),
      expires: min(latest, params["expires"]?.stringValue.flatMap { Timestamp($0) } ?? usual))
  }

  private static func text(_ value: JSONValue?) -> String { String((value?.stringValue ?? "").prefix(longestText)) }

  var deadline: ContinuousClock.Instant {
    let rest = max(0, expires.milliseconds - SystemClock().now.milliseconds)
    return .now + .milliseconds(rest) + Self.grace
  }
}

extension SourceNews {
  private enum Outcome: String {
    case delivered, notModified, userUnknown, userDisabled, userDeleted, notLicensed

    var standing: UserStanding {
      switch self {
      case .delivered, .notModified: .entitled
      case .userUnknown: .unknown
      case .userDisabled: .disabled
      case .userDeleted: .deleted
      case .notLicensed: .unlicensed
      }
    }
  }

  /// From the answer to `source.checkIn`.
  init(_ answer: JSONValue) throws(SourceFault) {
    try Self.checkVersion(answer)
    guard let object = answer.objectValue, let text = object["outcome"]?.stringValue else {
      throw SourceFault(.broken, "The policy source answered without an outcome.")
    }
    guard let outcome = Outcome(rawValue: text) else {
      throw SourceFault(.broken, "The policy source answered with an outcome that mambridge does not know: \(text).")
    }
    if outcome != .userUnknown { try Self.checkIds(object) }
    let tenant: TenantSnapshot
    do throws(TenantError) {
      tenant = try TenantSnapshot(answer: object, about: outcome.standing, delivers: outcome == .delivered)
    } catch {
      throw .unreadableAnswer(error)
    }
    self.init(
      tenant, nextCheckIn: object["nextCheckIn"]?.numberValue.map(Self.wait), etag: object["etag"]?.stringValue,
      isUnchanged: outcome == .notModified)
    absent = Set(AnswerMember.allCases.filter { object[$0.rawValue] == nil })
  }

  /// A source need not say the version of its answers.
  private static func checkVersion(_ answer: JSONValue) throws(SourceFault) {
    guard let version = answer["version"], !version.isNull else { return }
    guard version.numberValue == Double(SourceIntroduction.protocolVersion) else {
      throw SourceFault(
        .broken,
        "The policy source answered in version \(version.shortText) of the messages, but mambridge knows version "
          + "\(SourceIntroduction.protocolVersion). Use versions of both that match.")
    }
  }

  /// Accounts are kept by these ids, so nothing else is accepted.
  private static func checkIds(_ answer: JSONObject) throws(SourceFault) {
    for name in ["id", "tenantId"] where answer["user"]?[name]?.stringValue?.isGUID != true {
      throw SourceFault(.broken, "The policy source answered with a user whose \(name) is not a GUID.")
    }
  }

  /// Neither so short that the source is asked all the time, nor so long that a wipe is late.
  private static func wait(_ seconds: Double) -> Duration { .seconds(min(max(seconds, 60), 24 * 3600)) }
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
      let retryAfter = data["retryAfter"]?.numberValue.map { Duration.seconds(max(0, min($0, 24 * 3600))) }
      let text = "The policy source answered \(method) with error \(code): \(message)"
      self.init(Self.kind(of: SourceErrorCode(rawValue: code)), text, retryAfter: retryAfter)
      claims = data["claims"]?.stringValue
    case .late: self.init(.late, "The policy source did not answer \(method) in time. mambridge asks again.")
    case .cancelled: self.init(.late, "The call was cancelled before the policy source answered.")
    case .over(let reason): self.init(.broken, "The policy source failed: \(reason). mambridge starts it again.")
    }
  }
}
