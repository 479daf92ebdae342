import GraphPull
import HTTP
import JSON
import ServiceSource
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import SignIn

@Suite("Sign-in") struct SignInTests {
  let folder: TemporaryFolder
  let cache: TokenCache

  init() {
    folder = TemporaryFolder()
    cache = TokenCache(folder.path + "/new/sign-ins", patience: .seconds(10))
  }

  @Test("A sign-in by device code gives a token, and its refresh token gives further tokens") func wholeLife()
    async throws
  {
    let provider = FakeProvider([.error("authorization_pending"), .error("slow_down"), .error("authorization_pending")])
    let prompts = Lock<[SignInPrompt]>([])
    let tokens = try await provider.signIn(cache).withDeviceCode { prompt in
      prompts.withLock { $0.append(prompt) }
      return true
    }
    #expect(tokens.expires == provider.clock.now.advanced(by: 3_600_000))
    let prompt = try #require(prompts.withLock { $0 }.first)
    #expect(prompt.userCode == "ABCD-EFGH")
    #expect(prompt.expires == FakeProvider.start.advanced(by: 900_000))
    #expect(prompt.message == "To sign in, open https://login.example/device and enter the code ABCD-EFGH.")
    #expect(provider.state.withLock { $0.sleeps } == [.seconds(5), .seconds(5), .seconds(10), .seconds(10)])

    for number in 2...4 {
      let next = try await provider.signIn(cache, account: "ALICE@contoso.example").silently()
      #expect(next.accessToken == FakeProvider.jwt(provider.state.withLock { $0.claims }, number))
      #expect(try cache.signIns().map(\.refreshToken) == ["refresh\(number)"])
    }
    let form = try #require(provider.forms("token").last)
    #expect(form["scope"] == "api://mambridge/.default openid offline_access")
    #expect(form["resource"] == nil)
    #expect(form["claims"] == nil)
    #expect(form["client_id"] == "client")
  }

  @Test("Access tokens are never written to disk, and refresh tokens only encrypted") func sealed() async throws {
    let provider = FakeProvider()
    let tokens = try await provider.signIn(cache).withDeviceCode { _ in true }
    for file in filesOf(folder: folder.path + "/new") {
      let text = String(decoding: try FileContents.read(file), as: UTF8.self)
      for secret in ["refresh1", "alice", tokens.accessToken] { #expect(!text.contains(secret), "\(file)") }
    }
  }

  @Test("The resource parameter is sent only if requested, and then also with each refresh") func resource()
    async throws
  {
    let provider = FakeProvider()
    _ = try await provider.signIn(cache, FakeProvider.target(resource: "https://mam")).withDeviceCode { _ in true }
    _ = try await provider.signIn(cache).silently(claims: #"{"access_token":{}}"#)
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    #expect(provider.forms("device").map { $0["resource"] } == ["https://mam", "https://mam"])
    #expect(try cache.signIns().map(\.resource) == ["https://mam"])
    #expect(provider.forms("token").map { $0["resource"] } == [nil, "https://mam", nil])
    #expect(provider.forms("token").map { $0["claims"] } == [nil, #"{"access_token":{}}"#, nil])
  }

  @Test("A sign-in for one service or scope gives no token for another") func services() async throws {
    let provider = FakeProvider()
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    let other = FakeProvider.target(service: "https://evil.example")
    #expect(await signInFailure { try await provider.signIn(cache, other).silently() }?.kind == .personNeeded)
    var wider = FakeProvider.target()
    wider.scopes = ["https://graph.example/.default"]
    #expect(await signInFailure { try await provider.signIn(cache, wider).silently() }?.kind == .personNeeded)
    #expect(provider.forms("token").count == 1)

    _ = try await provider.signIn(cache, FakeProvider.target(service: nil)).withDeviceCode { _ in true }
    _ = try await provider.signIn(cache, other).silently()
  }

  @Test("Concurrent refreshes use each refresh token only once") func together() async throws {
    let provider = FakeProvider()
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<12 {
        // A cache of its own has a lock of its own, as another process has.
        let cache = TokenCache(cache.path)
        group.addTask { _ = try await provider.signIn(cache).silently() }
      }
      try await group.waitForAll()
    }
    #expect(provider.state.withLock { $0.reused } == 0)
    #expect(try cache.signIns().map(\.refreshToken) == ["refresh13"])
  }

  @Test("A canceled refresh still stores a refresh token that arrived") func canceledRefresh() async throws {
    let provider = FakeProvider()
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    for _ in 0..<20 {
      let task = Task { [cache] in try await provider.signIn(cache).silently() }
      task.cancel()
      _ = await task.result
    }
    #expect(try cache.signIns().map(\.refreshToken) == [provider.state.withLock { $0.current }])
  }

  @Test("A provider that returns no new refresh token leaves the old one in use") func withoutRotation() async throws {
    let provider = FakeProvider()
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    provider.state.withLock { $0.hasRefreshTokens = false }
    _ = try await provider.signIn(cache).silently()
    _ = try await provider.signIn(cache).silently()
    #expect(try cache.signIns().map(\.refreshToken) == ["refresh1"])
  }

  @Test("A sign-in stores nothing if someone other than the named account signs in") func someoneElse() async throws {
    let provider = FakeProvider()
    for (account, id) in [("bob@contoso.example", nil), (nil, "b0b")] as [(String?, String?)] {
      let signIn = provider.signIn(cache, account: account, id: id)
      let failure = await signInFailure { try await signIn.withDeviceCode { _ in true } }
      #expect(failure?.kind == .personNeeded)
      #expect(failure?.text.contains("alice@contoso.example signed in, and not") == true)
    }
    #expect(try cache.signIns().isEmpty)
    _ = try await provider.signIn(cache, account: "alice@CONTOSO.example", id: "a11ce").withDeviceCode { _ in true }
    #expect(try cache.signIns().count == 1)
  }

  @Test("If the provider's tokens cannot be read, the sign-in is stored under the requested name") func opaque()
    async throws
  {
    let provider = FakeProvider()
    provider.state.withLock { $0.claims = [:] }
    _ = try await provider.signIn(cache, account: "alice").withDeviceCode { _ in true }
    _ = try await provider.signIn(cache, account: "bob").withDeviceCode { _ in true }
    #expect(try cache.signIns().map(\.account.shownName) == ["alice", "bob"])
    let failure = await signInFailure { try await provider.signIn(cache).silently() }
    #expect(
      failure?.text == "Several accounts are signed in for https://mam.example: alice, bob. Name one with --account.")
  }

  @Test("A sign-in fails if nobody sees the prompt, or if it must be kept and there is no refresh token") func ends()
    async throws
  {
    let provider = FakeProvider()
    let hidden = await signInFailure { try await provider.signIn(cache).withDeviceCode { _ in false } }
    #expect(hidden?.kind == .personNeeded)
    provider.state.withLock { $0.hasRefreshTokens = false }
    let kept = await signInFailure { try await provider.signIn(cache).withDeviceCode(mustKeep: true) { _ in true } }
    #expect(kept?.kind == .refused)
    #expect(kept?.text.contains("gave no refresh token") == true)
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    #expect(try cache.signIns().isEmpty)
  }

  @Test("Signing out removes the sign-in and revokes its token, even if the provider cannot be reached") func signOut()
    async throws
  {
    let provider = FakeProvider()
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    provider.state.withLock { $0.claims = ["upn": "bob@contoso.example"] }
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    let signOut = SignOut(cache, provider, clock: provider.clock)
    let several = await signInFailure { try await signOut.run(SignOut.Choice()) }
    #expect(several?.text.hasPrefix("Several accounts are signed in: alice@contoso.example, bob@") == true)
    let one = try await signOut.run(SignOut.Choice(account: "alice@contoso.example"))
    #expect(one.map(\.revocation) == [.revoked])
    #expect(provider.forms("revoke").map { $0["token"] } == ["refresh1"])

    provider.state.withLock { $0.revocation = .failure(.cannotConnect) }
    let rest = try await signOut.run(SignOut.Choice(takesSeveral: true))
    #expect(rest.count == 1)
    #expect(rest.first?.revocation != .revoked)
    #expect(try cache.signIns().isEmpty)
    #expect(!filesOf(folder: folder.path + "/new").contains(cache.path))
    #expect(try await signOut.run(SignOut.Choice()).isEmpty)
  }

  @Test(
    "Signing out revokes nothing if the token cache cannot be written",
    .enabled(if: Privileges.isRoot, "needs root"))
  func unwritable() async throws {
    let provider = FakeProvider()
    _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    guard Privileges.setImmutable(folder.path + "/new", true) else { return }
    defer { _ = Privileges.setImmutable(folder.path + "/new", false) }
    let failure = await signInFailure {
      try await SignOut(cache, provider, clock: provider.clock).run(SignOut.Choice())
    }
    #expect(failure?.kind == .cache)
    #expect(provider.forms("revoke").map { $0["token"] } == [])
    #expect(try cache.signIns().count == 1)
  }

  @Test("Signing out several users reads the provider's configuration once") func signOutAll() async throws {
    let provider = FakeProvider()
    for name in ["alice", "bob"] {
      provider.state.withLock { $0.claims = ["upn": .string(name)] }
      _ = try await provider.signIn(cache).withDeviceCode { _ in true }
    }
    let before = provider.state.withLock { $0.documents }
    let outcomes = try await SignOut(cache, provider, clock: provider.clock).run(SignOut.Choice(takesSeveral: true))
    #expect(outcomes.map(\.revocation) == [.revoked, .revoked])
    #expect(provider.state.withLock { $0.documents } == before + 1)
  }

  @Test("The sign-in of a policy source gives tokens, or signInNeeded if a person is needed") func source() async throws
  {
    let provider = FakeProvider()
    let authentication = try #require(
      ServiceAuthentication(
        ["authority": .string(FakeProvider.issuer), "scopes": ["mam"], "resource": "api://x", "clientId": "client"]))
    let signIn = ServiceSignIn(
      "https://mam.example", SignInChoices(), cache: cache, http: provider, clock: provider.clock
    ) { _ in }
    #expect(signIn.canSignIn(at: authentication))
    let account = SourceAccount(accountId: nil, identity: "alice@contoso.example")
    func token(silent: Bool) async throws(SourceError) -> SourceToken {
      try await signIn.token(for: account, at: authentication, silent: silent, claims: nil) { _ in true }
    }
    await #expect(throws: SourceError(.signInNeeded, Self.notSignedIn)) { try await token(silent: true) }
    #expect(provider.state.withLock { $0.documents } == 0)
    _ = try await token(silent: false)
    _ = try await token(silent: true)
    #expect(provider.state.withLock { $0.documents } == 1)
    #expect(provider.forms("token").allSatisfy { $0["resource"] == nil })
  }

  private static let notSignedIn =
    "alice@contoso.example is not signed in for https://mam.example. Sign in with: mambridge-tenant login "
    + "https://mam.example"

  @Test("A command signs in once and asks for another token only after a refusal or near expiry") func commands()
    async throws
  {
    let (provider, cache) = (FakeProvider(), cache)
    let alone = SignedInTokens(prompt: nil, clock: provider.clock) { provider.signIn(cache) }
    let failure = await #expect(throws: GraphFailure.self) { try await alone.token(after: nil) }
    #expect(failure?.kind == .signIn)
    #expect(failure?.text.contains("mambridge-tenant login https://mam.example") == true)

    let tokens = SignedInTokens(prompt: { _ in true }, clock: provider.clock) { provider.signIn(cache) }
    let first = try await tokens.token(after: nil)
    #expect(try await tokens.token(after: nil) == first)
    #expect(try await tokens.token(after: TokenRefused(claims: "{}")) != first)
    #expect(provider.forms("device").count == 1)
    #expect(provider.forms("token").last?["claims"] == "{}")
    provider.clock.advance(byMilliseconds: 3_600_000 - 200_000)
    _ = try await tokens.token(after: nil)
    #expect(provider.forms("token").count == 3)
  }
}
