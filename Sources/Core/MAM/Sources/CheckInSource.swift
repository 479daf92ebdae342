import Model
import SourceProtocol
import Support
import Tenancy

/// Where the policies of a core come from.
///
/// A source may be slow, so nobody asks it while holding a lock or inside a transaction. A question that cannot be
/// answered is a `SourceFault`, not a thrown error, because every failure leads to a status of the account.
package protocol CheckInSource: Sendable {
  var capabilities: SourceCapabilities { get }

  /// Reads the whole tenant, of which the policies may be unreadable; `nil` if the source cannot be read. May block.
  func readTenant() -> Result<TenantSnapshot, TenantError>?

  /// Answers the check-ins of some accounts. Stops early if the task is cancelled, or at the deadline; `nil` for the
  /// source's own.
  func answers(to requests: [SourceRequest], until deadline: ContinuousClock.Instant?) async -> SourceAnswers

  /// Which tokens the source recognizes users by; `nil` if it asks for no token, or cannot be asked.
  func authentication() async -> TenantAuthentication?

  /// The last result of `authentication`. Returns at once.
  var knownAuthentication: TenantAuthentication? { get }

  /// Whether the source can get tokens itself.
  func canSignIn() async -> Bool

  /// Gets a token for a user. Stops early if the task is cancelled. The deadline counts until the first prompt; from then
  /// on, the user has until the prompt expires.
  func acquireToken(
    for request: SourceTokenRequest, until deadline: ContinuousClock.Instant
  ) async -> Result<AccessToken, SourceFault>

  /// Tells the source what became of a registration. Returns whether the source has accepted it, or will never accept
  /// it; otherwise it is told again.
  func deliver(_ report: SourceReport) async -> Bool

  /// Asks the source to report changes of these registrations only. A source that can report them keeps running for it.
  /// Returns at once.
  func watch(_ registrations: [SourceRegistration])

  /// Ends what the source has started. Call this before the process ends.
  func end()

  /// Called once, before everything else. Keeps the listener, and tells it what nobody asked for.
  func connect(_ listener: any SourceListener)
}

extension CheckInSource {
  package func readTenant() -> Result<TenantSnapshot, TenantError>? { nil }
}

/// What a policy source can do, which the core must know before it asks.
package struct SourceCapabilities: Sendable {
  let kind: PolicySourceKind
  /// The path of a folder; `nil` for other sources.
  let path: String?
  /// Whether the whole tenant can be read at any time, without waiting for anybody: what the source will answer is known
  /// before it is asked, and it answers about the app and all users at once. Any other source answers about single
  /// accounts.
  var canBeRead: Bool
  /// Whether the source knows enrollments by registrations, so that it can say when something changes, and wants to know
  /// what becomes of them.
  let usesRegistrations: Bool
  /// Whether the source checks tokens itself, and perhaps gets them. For any other source, the core checks them.
  let checksTokens: Bool
  /// Whether a source that does not check tokens answers about an account only if there is one for it.
  var wantsTokens = false
  /// Whether each check-in must ask again, because the next answer may differ although nothing has changed.
  var answersOnce = false

  /// Whether the methods of a sandbox change the tenant.
  var isOfSandbox = false

  /// Whether the source serves a development tenant and no other.
  package var isForDevelopment = false

  /// How long an answer may take.
  package static let patience = Duration.seconds(25)

  /// Of a program, which may speak with a service.
  package static let ofProgram = SourceCapabilities(
    kind: .program, path: nil, canBeRead: false, usesRegistrations: true, checksTokens: true)
}

/// Hears what a policy source says without being asked. Nothing here blocks.
package protocol SourceListener: Sendable {
  /// The policy of an account has changed, or of all accounts if there is no reference. They check in within the time.
  func sourceDidChange(_ reference: AccountReference?, within spread: Duration)

  /// A line for the diagnostics log.
  func sourceDidSay(_ line: String)
}

/// The device of a check-in, as an administrator recognizes it.
package struct SourceDevice: Hashable, Sendable {
  /// A UUID, which all apps of a state folder share.
  package let tag: String
  /// The name of the host machine.
  package let name: String

  package init(tag: String, name: String) {
    self.tag = tag
    self.name = name
  }
}

/// What became of a registration.
package struct SourceReport: Sendable {
  package let registration: SourceRegistration
  /// The operation that was carried out; `nil` if the account has left.
  package let operation: String?
  package let time: Timestamp
  /// Why the operation could not be carried out yet; `nil` if it was. Names no file and no user.
  package var failure: String?
}

/// A check-in of one account, as the policy source sees it.
package struct SourceRequest: Sendable {
  package enum Reason: String, Sendable { case enroll, checkIn }

  package var reason: Reason
  package var registration: SourceRegistration
  package var account: Account
  package var appId: String
  package var machine: SourceDevice
  package var device: Device
  /// Proves who the user is; `nil` if the source asks for no token, or if there is none.
  package var token: HostSecret?
  /// Names what the source delivered last; `nil` if the account must get everything.
  package var etag: String?
  package var applied: [PolicyVersion] = []
}

/// What a policy source answers to some requests.
package struct SourceAnswers: Sendable {
  /// One for each request, in the order of the requests; empty if one reply serves them all.
  package private(set) var replies: [SourceReply]
  /// The reply about the app and every account.
  private let common: SourceReply?

  package init(_ replies: [SourceReply]) { (self.replies, common) = (replies, nil) }

  /// The answer of a source that was read.
  package init(tenant: Result<TenantSnapshot, TenantError>) {
    do throws(TenantError) {
      (replies, common) = ([], .news(SourceNews(whole: try tenant.get())))
    } catch { (replies, common) = ([], .fault(SourceFault(error))) }
  }

  /// The answer of a source that failed, about everybody.
  init(fault: SourceFault) { (replies, common) = ([], .fault(fault)) }

  /// The reply to the request at a place; `nil` if there is none.
  package func reply(at place: Int?) -> SourceReply? {
    common ?? place.flatMap { $0 < replies.count ? replies[$0] : nil }
  }

  /// The answers in which a user whom the whole tenant lists without an id has the known one. `account` completes a name
  /// or an object id.
  func knowing(_ account: @escaping @Sendable (AccountReference) -> Account) -> SourceAnswers {
    guard case .news(var news)? = common else { return self }
    news.tenant.known = account
    return SourceAnswers(replies, common: .news(news))
  }

  private init(_ replies: [SourceReply], common: SourceReply?) { (self.replies, self.common) = (replies, common) }

  /// The answers with these other replies, by their places.
  func replacing(_ others: some Sequence<(Int, SourceReply)>) -> SourceAnswers {
    var answers = self
    for (place, reply) in others { answers.replies[place] = reply }
    return answers
  }
}

/// What a policy source says about one account in this app.
package enum SourceReply: Sendable {
  case news(SourceNews)
  case fault(SourceFault)
}

/// The answer of a policy source about one account.
package struct SourceNews: Sendable {
  /// The tenant as far as it concerns the account. Its only user is the user of the account, if the source knows the
  /// user. Its policies may be unreadable.
  package var tenant: TenantSnapshot
  /// Whether `tenant` is the whole tenant with all its users instead.
  package private(set) var isWhole = false
  /// How long to wait before the next check-in; `nil` for the usual time.
  package var nextCheckIn: Duration?
  /// Names what is delivered; `nil` if it has no name.
  package var etag: String?
  /// Whether what the etag of the request names is still true. The tenant then has operations only.
  package var isUnchanged = false
  /// The members that the answer does not have. What was last said of each of them stays.
  package var absent: Set<SourceAnswer.Member> = []

  /// What the source says about wipes; `nil` if they are not on hold.
  package var hold: SourceHold?

  package init(_ tenant: TenantSnapshot, nextCheckIn: Duration? = nil, etag: String? = nil, isUnchanged: Bool = false) {
    self.tenant = tenant
    self.nextCheckIn = nextCheckIn
    self.etag = etag
    self.isUnchanged = isUnchanged
  }

  init(whole tenant: TenantSnapshot) {
    self.init(tenant)
    isWhole = true
  }

  /// Whether the answer says a member anew. An answer about nobody, or about a user who gets nothing, does not.
  package func says(_ member: SourceAnswer.Member) -> Bool {
    isWhole || !isUnchanged && !absent.contains(member) && tenant.users.contains { $0.isEnabled && $0.isLicensed }
  }
}

/// A hold of all wipes, as a policy source says it about an account.
package struct SourceHold: Hashable, Sendable {
  package let hold: WipeHold
  /// Whether a wipe of the account is ordered, and waits.
  package let isOrdered: Bool

  package init(_ hold: WipeHold, isOrdered: Bool) { (self.hold, self.isOrdered) = (hold, isOrdered) }
}

/// What a policy source says about a hold of all wipes.
package enum HoldNews: Hashable, Sendable {
  /// Nothing: what it said last stays.
  case nothing
  case lifted
  case held(SourceHold)
}

/// Why a policy source does not answer about an account.
package struct SourceFault: Error, Equatable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// There is no source.
    case missing
    /// The source cannot be read.
    case damaged
    /// A policy or a configuration cannot be read, but what the source says about users can.
    case damagedPolicies
    /// The program cannot be started.
    case cannotStart
    /// The program ended, or did not speak the protocol.
    case broken
    /// The source cannot reach its service, or the service is too busy.
    case unreachable
    /// The source did not answer in time.
    case late
    /// The service is switched off for the tenant.
    case disabled
    /// The source wants a token, or refused it.
    case signInNeeded
    case tokenCommandFailed
    case signInCanceled
  }

  package var kind: Kind
  /// What is wrong and what to do about it.
  package var text: String
  /// How long the source wants to be left alone; `nil` if it does not say.
  package var retryAfter: Duration?
  /// The claims that the service wants in a token, if it has refused one for lack of them.
  package var claims: String?
  /// What the source says about wipes although it does not answer.
  package var hold = HoldNews.nothing

  package init(_ kind: Kind, _ text: String, retryAfter: Duration? = nil) {
    self.kind = kind
    self.text = text
    self.retryAfter = retryAfter
  }
}

extension SourceFault {
  /// An answer that is not one, or of which the policies are none.
  package static func unreadableAnswer(_ error: TenantError) -> SourceFault {
    SourceFault(.broken, "The answer of the policy source cannot be read: \(error.description)")
  }

  package init(_ error: TenantError) {
    switch error {
    case .missing: self.init(.missing, error.description)
    case .unparsable: self.init(.damaged, error.description)
    }
  }
}
