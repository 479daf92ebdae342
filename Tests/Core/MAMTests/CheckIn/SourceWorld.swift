import JSON
import SourceProtocol
import Support
import TestSupport

@testable import MAM
@testable import Model
@testable import Policy
@testable import Tenancy

/// A core with a policy source outside of its process, whose answers a test chooses.
struct SourceWorld {
  let fixture = CoreFixture()
  let source = FakeSource()
  let core: Core

  init(_ configure: (inout CoreConfiguration) -> Void = { _ in }) {
    var configuration = CoreConfiguration(
      stateFolder: fixture.state, tenant: .folder("/nothing"), clock: fixture.clock)
    configuration.source = source
    configure(&configuration)
    core = Core(configuration)
  }

  func enroll() async throws -> Int {
    try await core.enrollment.enrollAndFollowUp(.user("alice")).statusCode.sdkValue
  }

  func checkIn() async throws -> [Int] {
    try await core.enrollment.checkInAndFollowUp(nil).map(\.statusCode.sdkValue)
  }

  /// The seconds until the next check-in of alice.
  func wait() throws -> Int64? {
    try core.account("alice")?.plan.checkIn.map { ($0.milliseconds - core.now.milliseconds) / 1000 }
  }
}

/// Answers as a test wants. Answers about everybody in the same way.
final class FakeSource: CheckInSource {
  private struct State {
    var reply = SourceReply.fault(SourceFault(.missing, ""))
    var hook: (@Sendable () async -> Void)?
    var requests: [SourceRequest] = []
    var accepts = true
    var listener: (any SourceListener)?
    var reports: [SourceReport] = []
    var watched: [String] = []
    var wantsToken = false
    var refused: [String] = []
    var claims: String?
    var asksForTokens = false
    var acquire: Acquire?
    var acquired: [String] = []
    var isForDevelopment = false
  }

  typealias Acquire = @Sendable (SourceTokenRequest) async -> Result<AccessToken, SourceFault>

  let text = "The source has a reason."
  private let state = Lock(State())

  var count: Int { state.withLock { $0.requests.count } }
  var requests: [SourceRequest] { state.withLock { $0.requests } }
  var knownAuthentication: TenantAuthentication? {
    guard state.withLock({ $0.asksForTokens }) else { return nil }
    return TenantAuthentication(authority: "https://a", resource: "r", scopes: ["s"], clientId: nil)
  }

  func authentication() async -> TenantAuthentication? { knownAuthentication }

  func canSignIn() async -> Bool { state.withLock { $0.acquire != nil } }

  func acquireToken(
    for request: SourceTokenRequest, until deadline: ContinuousClock.Instant
  ) async -> Result<AccessToken, SourceFault> {
    let name = request.account.identity?.split(separator: "@").first.map(String.init) ?? "?"
    let words = [name, request.show == nil ? "silent" : "prompt", request.claims]
    let acquire = state.withLock { state in
      state.acquired.append(words.compactMap { $0 }.joined(separator: " "))
      return state.acquire
    }
    return await acquire?(request) ?? .failure(SourceFault(.signInNeeded, text))
  }

  /// Signs in users, and wants their tokens at check-ins, unless `wantsToken` is false.
  func signsIn(wantsToken: Bool = true, _ acquire: @escaping Acquire) {
    state.withLock { ($0.acquire, $0.wantsToken) = (acquire, wantsToken) }
  }

  /// Asks hosts and the token command for tokens.
  func asksForTokens() { state.withLock { ($0.asksForTokens, $0.wantsToken) = (true, true) } }

  /// Refuses this token from now on.
  func refuses(_ token: String, claims: String? = nil) {
    state.withLock { state in
      state.refused.append(token)
      state.claims = claims
    }
  }

  /// Which tokens the source was asked for, such as `alice silent` and `alice prompt`.
  var acquired: [String] { state.withLock { $0.acquired } }

  private func reply(to request: SourceRequest, _ reply: SourceReply) -> SourceReply {
    let (wantsToken, refused, claims) = state.withLock { ($0.wantsToken, $0.refused, $0.claims) }
    var fault = SourceFault(.signInNeeded, "The source wants a token.")
    guard wantsToken else { return reply }
    guard let token = request.token else { return .fault(fault) }
    guard refused.contains(where: { HostSecret($0) == token }) else { return reply }
    fault.claims = claims
    return .fault(fault)
  }

  func answers(to requests: [SourceRequest], until deadline: ContinuousClock.Instant?) async -> SourceAnswers {
    let (reply, hook) = state.withLock { state in
      state.requests += requests
      return (state.reply, state.hook.take())
    }
    await hook?()
    return SourceAnswers(requests.map { self.reply(to: $0, reply) })
  }

  var capabilities: SourceCapabilities {
    var capabilities = SourceCapabilities.ofProgram
    capabilities.isForDevelopment = isForDevelopment
    return capabilities
  }

  /// Whether the source serves a development tenant.
  var isForDevelopment: Bool {
    get { state.withLock { $0.isForDevelopment } }
    set { state.withLock { $0.isForDevelopment = newValue } }
  }

  func connect(_ listener: any SourceListener) { state.withLock { $0.listener = listener } }

  func end() {}

  func watch(_ registrations: [SourceRegistration]) { state.withLock { $0.watched = registrations.map(\.id) } }

  /// The registrations that the source watches.
  var watched: [String] { state.withLock { $0.watched } }

  var listener: (any SourceListener)? { state.withLock { $0.listener } }

  func deliver(_ report: SourceReport) async -> Bool {
    state.withLock { state in
      state.reports.append(report)
      return state.accepts
    }
  }

  /// What the source was told.
  var reports: [SourceReport] { state.withLock { $0.reports } }

  func accepts(_ accepts: Bool) { state.withLock { $0.accepts = accepts } }

  func beforeNextAnswer(_ hook: @escaping @Sendable () async -> Void) { state.withLock { $0.hook = hook } }

  func replies(_ reply: SourceReply) { state.withLock { $0.reply = reply } }

  func fails(_ kind: SourceFault.Kind, retryAfter: Duration? = nil) {
    replies(.fault(SourceFault(kind, text, retryAfter: retryAfter)))
  }

  /// A policy for a user, with members as Graph writes them.
  func delivers(
    _ members: String, to name: String = "alice", nextCheckIn: Duration? = nil, etag: String? = nil
  ) {
    var tenant = Self.tenant([Self.user(name)])
    var warnings: [PolicyWarning] = []
    let object = (try? JSONValue(parsing: #"{"id": "T_1", "displayName": "iOS", \#(members)}"#))?.objectValue ?? [:]
    tenant.policies = [
      PolicyDocument(unchecked: object, kind: .ios, source: "source", fallbackID: "T_1", warnings: &warnings)
    ]
    replies(.news(SourceNews(tenant, nextCheckIn: nextCheckIn, etag: etag)))
  }

  /// An app configuration for alice, and no policy.
  func configures() {
    var tenant = Self.tenant([Self.user("alice")])
    tenant.configurations = [
      ConfigurationDocument(id: "A_1", customSettings: [KeyValuePair(name: "key", value: "value")])
    ]
    replies(.news(SourceNews(tenant)))
  }

  /// That nothing has changed, besides wipes that are ordered.
  func isUnchanged(etag: String? = nil, wipes: [String] = []) {
    var tenant = Self.tenant([Self.user("alice")])
    tenant.operations = Self.wipes(wipes)
    replies(.news(SourceNews(tenant, etag: etag, isUnchanged: true)))
  }

  /// That alice's data is wiped, although her account is disabled.
  func wipes(_ ids: String...) {
    var user = Self.user("alice")
    user.isEnabled = false
    var tenant = Self.tenant([user])
    tenant.operations = Self.wipes(ids)
    replies(.news(SourceNews(tenant)))
  }

  private static func wipes(_ ids: [String]) -> [TenantOperation] {
    ids.map { TenantOperation(id: $0, kind: .wipe, user: .user("alice"), app: nil, requested: "") }
  }

  /// That alice is unknown, deleted, disabled or unlicensed.
  func says(_ standing: String) {
    var user = Self.user("alice")
    user.isEnabled = standing != "disabled" && standing != "deleted"
    user.isDeleted = standing == "deleted"
    user.isLicensed = standing != "unlicensed"
    replies(.news(SourceNews(Self.tenant(standing == "unknown" ? [] : [user]))))
  }

  /// That what the source says or fails with now comes with a hold of wipes, or says that there is none, or nothing about
  /// it.
  func holds(_ hold: WipeHold?, isOrdered: Bool = false, isSaid: Bool = true) {
    let hold = hold.map { SourceHold($0, isOrdered: isOrdered) }
    state.withLock { state in
      switch state.reply {
      case .news(var news):
        news.hold = hold
        news.absent = isSaid ? [] : [.hold]
        state.reply = .news(news)
      case .fault(var fault):
        fault.hold = isSaid ? hold.map { .held($0) } ?? .lifted : .nothing
        state.reply = .fault(fault)
      }
    }
  }

  /// That alice is wiped, or wiped and blocked, besides what the source says now.
  func orders(_ kind: TenantOperation.Kind) {
    state.withLock { state in
      guard case .news(var news) = state.reply else { return }
      news.tenant.operations = [
        TenantOperation(id: "op-1", kind: kind, user: .user("alice"), app: nil, requested: "")
      ]
      state.reply = .news(news)
    }
  }

  static func tenant(_ users: [TenantUser]) -> TenantSnapshot {
    var tenant = TenantSnapshot()
    tenant.tenantId = "6babcaad-604b-40ac-a9d7-9fd97c0b779f"
    tenant.users = TenantUsers(users)
    return tenant
  }

  static func user(_ name: String) -> TenantUser {
    TenantUser(
      id: TenantFolder.id(name), userPrincipalName: TenantFolder.upn(name), displayName: name, isLicensed: true,
      isEnabled: true, groups: [])
  }
}
