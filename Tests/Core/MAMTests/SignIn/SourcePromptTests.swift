import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

/// Sign-ins through the policy source that need the user: who shows them, and how they end.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct SourcePromptTests {
  private let world = SourceWorld()
  private let gate = Gate()

  init() { world.source.delivers(#""pinRequired": true"#) }

  /// Prompts, and gives a token when the gate opens; a cancel is an answer of the source, too.
  private func asksUser(_ world: SourceWorld, _ end: Result<AccessToken, SourceFault> = .token("t")) {
    world.source.signsIn { [gate] request in
      guard let show = request.show else { return .fault(.signInNeeded) }
      show(.example)
      return await gate.wait() ? end : .fault(.late)
    }
  }

  @Test("A host shows where to sign in, and the enrollment continues once the user has signed in")
  func host() async throws {
    asksUser(world)
    let host = PromptHost.showing()
    world.core.host = host
    async let status = world.enroll()
    await expectEventually(1) { host.prompts.count }
    gate.open()
    #expect(try await status == 100)
    let prompt = try #require(host.prompts.first)
    #expect(prompt.account.identity == TenantFolder.upn("alice"))
    #expect(prompt.userCode == "VEUY-27HC")
    #expect(prompt.message.hasSuffix("\nhttps://login.contoso.example/device\nVEUY-27HC"))
    #expect(world.source.acquired == ["alice silent", "alice prompt"])
  }

  @Test(
    "A host can answer a sign-in prompt at once, with a token or by saying that it shows the sign-in",
    arguments: ["", "own"])
  func hostAnswers(_ token: String) async throws {
    asksUser(world)
    let host = PromptHost.answering(token)
    world.core.host = host
    async let status = world.enroll()
    await expectEventually(1) { host.prompts.count }
    if token.isEmpty { gate.open() }
    #expect(try await status == 100)
    #expect(world.source.requests.last?.token == HostSecret(token.isEmpty ? "t" : token))
  }

  @Test("A host's token of another user ends an enrollment with 203")
  func otherUser() async throws {
    asksUser(world)
    world.core.host = PromptHost.answering("own", of: "bob")
    #expect(try await world.enroll() == 203)
  }

  @Test(
    "If the user cancels the sign-in, the status is 219, and a login registers no account", arguments: [false, true])
  func cancel(_ isLogin: Bool) async throws {
    asksUser(world)
    world.core.host = PromptHost { _ in .canceled }
    let status =
      try await isLogin
      ? world.core.login.loginAndEnroll(.user("alice"), in: "main").statusCode.sdkValue : world.enroll()
    #expect(status == 219)
    #expect(try (world.core.account("alice") == nil) == isLogin)
  }

  @Test("A login signs in at the source, passes its window to the host, and stores the sign-in time")
  func login() async throws {
    asksUser(world)
    let host = PromptHost.showing()
    world.core.host = host
    async let status = world.core.login.loginAndEnroll(.user("alice"), in: "main")
    await expectEventually("main") { host.prompts.first?.window }
    gate.open()
    #expect(try await status.statusCode == .newPoliciesReceived)
    #expect(world.core.state.signIns.time(of: TenantFolder.account("alice")) == world.core.now)
  }

  @Test("Canceling the call stops the sign-in and changes nothing")
  func callerCancels() async throws {
    asksUser(world)
    let host = PromptHost.showing()
    world.core.host = host
    let call = Task { try await world.enroll() }
    await expectEventually(1) { host.prompts.count }
    call.cancel()
    await #expect(throws: MAMError.self) { try await call.value }
    #expect(try world.core.account("alice") == nil)
    #expect(world.source.requests.isEmpty)
  }

  private func challenge(_ call: () async throws -> Void) async throws -> Challenge {
    do {
      try await call()
    } catch let error as MAMError where error.code == .challenge {
      return try #require(error.challenge)
    }
    Issue.record("no challenge")
    throw MAMError.cancelled
  }

  @Test("Without a host, the call fails with a challenge; after the user signs in, repeating it succeeds")
  func challenge() async throws {
    asksUser(world)
    let challenge = try await challenge { _ = try await world.enroll() }
    #expect(challenge.kind == .credentials)
    #expect(challenge.identity == TenantFolder.upn("alice"))
    #expect(challenge.verificationUri == "https://login.contoso.example/device")
    #expect(challenge.userCode == "VEUY-27HC")
    #expect(challenge.message.contains("VEUY-27HC"))
    let stored = try #require(try world.core.challenges.all().first).challenge
    #expect(stored.message == challenge.message)
    #expect(stored.verificationUri == challenge.verificationUri)
    let again = try await self.challenge { _ = try await world.enroll() }
    #expect(again.id == challenge.id)
    #expect(world.source.acquired.count(where: { $0.hasSuffix("prompt") }) == 1)
    gate.open()
    #expect(await eventually { (try? world.core.challenges.all().isEmpty) == true })
    #expect(try await world.enroll() == 100)
    #expect(world.source.acquired.last?.hasSuffix("silent") == true)
  }

  @Test("An enrolled account becomes due for a check-in as soon as its user has signed in")
  func due() async throws {
    world.source.signsIn(wantsToken: false) { _ in .fault(.signInNeeded) }
    world.core.host = PromptHost { _ in .canceled }
    #expect(try await world.core.enrollment.attempt(.user("alice")).statusCode.sdkValue == 100)
    world.core.host = NoHost()
    asksUser(world)
    world.fixture.clock.advance(byMilliseconds: 60_000)
    _ = try await challenge { _ = try await world.checkIn() }
    gate.open()
    #expect(await eventually { (try? world.wait()).map { $0 == 0 } == true })
    try await world.core.scheduler.runDueAndFollowUp()
    #expect(try world.core.account("alice")?.status?.statusCode.sdkValue == 101)
  }

  @Test("A source's challenge can only be canceled: the next call ends with 219, the one after asks again")
  func cancelChallenge() async throws {
    asksUser(world)
    let challenge = try await challenge { _ = try await world.enroll() }
    let other = Core(world.core.configuration)
    await #expect(throws: MAMError.self) {
      _ = try await other.challenges.answer(challenge.id, with: .token("t", of: TenantFolder.upn("alice")))
    }
    _ = try await other.challenges.answer(challenge.id, with: .canceled)
    #expect(
      await eventually { world.core.parts.memory.keptSignIns.challenge(of: TenantFolder.account("alice")) == nil })
    #expect(try await world.enroll() == 219)
    _ = try await self.challenge { _ = try await world.checkIn() }
  }

  @Test("A failed sign-in closes its challenge; only a canceled one is remembered", arguments: [false, true])
  func failure(_ isCancel: Bool) async throws {
    asksUser(world, .fault(isCancel ? .signInCanceled : .broken))
    let challenge = try await challenge { _ = try await world.enroll() }
    gate.open()
    #expect(
      await eventually { world.core.parts.memory.keptSignIns.challenge(of: TenantFolder.account("alice")) == nil })
    #expect(await eventually { (try? world.core.challenges.open(challenge.id)) == nil })
    #expect(try world.core.challenges.all().count == (isCancel ? 1 : 0))
  }

  @Test("Unenrolling an account ends its sign-in at the source")
  func leaving() async throws {
    world.source.signsIn(wantsToken: false) { _ in .fault(.signInNeeded) }
    #expect(try await world.core.enrollment.attempt(.user("alice")).statusCode.sdkValue == 100)
    asksUser(world)
    _ = try await challenge { _ = try await world.checkIn() }
    _ = try await world.core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: false)
    #expect(
      await eventually { world.core.parts.memory.keptSignIns.challenge(of: TenantFolder.account("alice")) == nil })
  }

  @Test("Ending a process withdraws the sign-in challenges that it opened")
  func end() async throws {
    asksUser(world)
    _ = try await challenge { _ = try await world.enroll() }
    world.core.end()
    #expect(try Core(world.core.configuration).challenges.all().isEmpty)
  }

  @Test("With a text display, the call prints where to sign in and waits for the user")
  func text() async throws {
    let texts = Lock<[String]>([])
    let world = SourceWorld { $0.signInDisplay = .text { text in texts.withLock { $0.append(text) } } }
    world.source.delivers(#""pinRequired": true"#)
    asksUser(world)
    async let status = world.enroll()
    await expectEventually(1) { texts.withLock { $0.count } }
    gate.open()
    #expect(try await status == 100)
    #expect(texts.withLock { $0[0] }.contains("VEUY-27HC"))
  }

  @Test("A call that cannot show a sign-in does not start one, and its status says why")
  func nowhere() async throws {
    let world = SourceWorld { $0.signInDisplay = .nowhere }
    asksUser(world)
    #expect(try await world.enroll() == 203)
    #expect(world.source.acquired == ["alice silent"])
    let status = try #require(try world.core.source.status(of: nil).accounts.first)
    #expect(status.explanation.contains("The source says signInNeeded."))
  }

  @Test("Several users are prompted in turn; if a sign-in expires, the remaining users are not prompted")
  func several() async throws {
    let world = SourceWorld { try? $0.settings.set(flag: "MultiManagedIdentities=true") }
    world.source.delivers(#""pinRequired": true"#)
    world.source.signsIn { $0.show == nil ? .fault(.signInNeeded) : .fault(.signInCanceled) }
    for name in ["alice", "bob"] { _ = try await world.core.enrollment.enrollAndFollowUp(.user(name)) }
    #expect(try await world.checkIn() == [219, 219])
    #expect(world.source.acquired.suffix(4) == ["alice silent", "bob silent", "alice prompt", "bob prompt"])
    world.source.signsIn { _ in .fault(.signInNeeded) }
    #expect(try await world.checkIn() == [203, 203])
    #expect(world.source.acquired.suffix(3) == ["alice silent", "bob silent", "alice prompt"])
  }
}
