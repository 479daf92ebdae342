import Glibc
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite("Too many wrong PINs", .ownThreads, .timeLimit(.minutes(5))) struct PINTriesTests {
  private static let wiping = PINFixture.fiveTries + #", "appActionIfMaximumPinRetriesExceeded": "wipe""#

  private func exhaust(_ core: Core) throws {
    for left in (1...4).reversed() { #expect(try core.tryPIN("0000") == .wrong(triesLeft: left)) }
    #expect(try core.tryPIN("0000") == .exhausted)
  }

  @Test("Wrong PINs are counted across restarts and apps of the publisher; a right PIN resets the count")
  func restarts() throws {
    let world = PINFixture()
    try world.enrolled().pins.set("2580")
    for left in (1...4).reversed() { #expect(try world.enrolled().tryPIN("0000") == .wrong(triesLeft: left)) }
    #expect(try world.enrolled("com.example.other").tryPIN("2580") == .right(mustChange: false))
    #expect(try world.enrolled().pins.status(of: nil).retriesLeft == 5)
    try exhaust(world.enrolled())
    #expect(try world.enrolled("com.example.other").tryPIN("2580") == .exhausted)
    #expect(try world.enrolled().pins.status(of: nil).retriesLeft == 0)
  }

  @Test("Without maximumPinRetries, the number of wrong PINs is unlimited")
  func unlimited() throws {
    let core = try PINFixture(#""pinRequired": true"#).enrolled()
    try core.pins.set("2580")
    for _ in 0..<20 { #expect(try core.tryPIN("0000") == .wrong(triesLeft: nil)) }
    #expect(try core.tryPIN("2580") == .right(mustChange: false))
  }

  @Test("After the last try, even the right PIN is refused until the user signs in and sets a new one")
  func reset() async throws {
    let core = try PINFixture(PINFixture.fiveTries + #", "previousPinBlockCount": 1"#).enrolled()
    try core.pins.set("2580")
    try exhaust(core)
    #expect(try core.tryPIN("2580") == .exhausted)
    let signIn = try await core.step(due: false)
    #expect(signIn.summary == "credentials")
    #expect(signIn.challenge?.message.contains("too many") == true)
    let id = try #require(signIn.challenge?.id)
    #expect(try await !core.challenges.answer(id, with: .token("")).accepted)
    #expect(try await !core.challenges.answer(id, with: .token("t", of: TenantFolder.upn("bob"))).accepted)
    #expect(try await core.stepSummary() == "credentials")
    let reply = try await core.challenges.answer(id, with: .token("t"))
    #expect(reply.accepted)
    #expect(reply.challenge?.kind == .setPIN)
    let set = PINStep.challenge(try #require(reply.challenge))
    #expect(try await !core.answer("2580", to: set).accepted)
    #expect(try await core.answer("8520", to: set).accepted)
    #expect(try await core.stepSummary() == "passed")
    #expect(try core.pins.status(of: nil).retriesLeft == 5)
  }

  @Test("After the last wrong PIN, the challenge asks for a sign-in, and pin.reset also allows a new PIN")
  func answers() async throws {
    let core = try PINFixture().enrolled()
    try core.pins.set("2580")
    for _ in 0..<4 { _ = try core.tryPIN("0000") }
    let notice = UserNotice(.pin(.enterTitle), .pin(.enterMessage))
    let entry = try core.challenges.open(
      UserQuestion(kind: .enterPIN, reference: .user("alice"), window: "w", notice: notice))
    let reply = try await core.answer("0000", to: .challenge(entry))
    #expect(!reply.accepted)
    #expect(reply.challenge?.kind == .credentials)
    await #expect(throws: MAMError(.challengeNotOpen, "")) { try await core.answer("2580", to: .challenge(entry)) }
    let error = await #expect(throws: MAMError.self) { try await core.pins.change("2580", "8520") }
    #expect(error?.code == .pinRetriesExceeded)
    #expect(error?.messageKey == "Max_Attempt_Reset_Pin_Message")
    try core.pins.reset()
    #expect(try await core.stepSummary() == "setPIN")
  }

  @Test("A sign-in for another reason keeps the PIN and its remaining tries")
  func otherSignIn() async throws {
    let core = try PINFixture().enrolled()
    try core.pins.set("2580")
    for _ in 0..<4 { _ = try core.tryPIN("0000") }
    let challenge = try core.challenges.openSignIn("alice")
    #expect(try await core.challenges.answer(challenge.id, with: .token("t")) == ChallengeReply(accepted: true))
    #expect(try core.pins.status(of: nil).retriesLeft == 1)
    #expect(try core.tryPIN("2580") == .right(mustChange: false))
  }

  @Test("If the policy says wipe, the last wrong PIN wipes the account, which needs a new PIN afterwards")
  func wipe() async throws {
    let world = PINFixture(Self.wiping)
    let core = try world.enrolled()
    try core.pins.set("2580")
    world.advance(minutes: 30)
    let step = try await core.step()
    for _ in 0..<4 { #expect(try await core.answer("0000", to: step).challenge?.id == step.challenge?.id) }
    let secret = try #require(HostSecret("0000"))
    let id = try #require(step.challenge?.id)
    let reply = try await core.conditionalLaunch.answer(id, with: .pin(secret))
    #expect(reply == ChallengeReply(accepted: false))
    #expect(try core.account("alice") == nil)
    #expect(try world.fixture.events().last { $0.type == "wipeDidComplete" } != nil)
    #expect(try core.enroll("alice") == 100)
    #expect(try core.pins.status(of: nil) == PINStatus(required: true, isSet: false, retriesLeft: 5))
    #expect(try await core.stepSummary() == "setPIN")
    try core.pins.set("2580")
    #expect(try await core.stepSummary() == "passed")
    try exhaust(core)
    #expect(try await core.stepSummary(mayAsk: false) == "wipe")
  }

  @Test("An account that waits for its wipe keeps the PIN that had too many tries")
  func pending() throws {
    let core = try PINFixture(Self.wiping).enrolled()
    try core.pins.set("2580")
    try exhaust(core)
    let pin = try #require(try core.pins.required(of: .user("alice")))
    try pin.beginWipe()
    #expect(try core.account("alice")?.isWiping == true)
    let waiting = try #require(try core.pins.required(of: .user("alice")))
    #expect(try waiting.demand(isRecheckDue: false) == .wipe)
    #expect(try waiting.stored()?.isSet == true)
  }

  @Test("Too many wrong PINs in one app wipe the account in each app of the publisher, once")
  func otherApps() async throws {
    let world = PINFixture(Self.wiping)
    let (first, second) = (try world.enrolled(), try world.enrolled("com.example.other"))
    try first.pins.set("2580")
    try exhaust(first)
    #expect(try second.tryPIN("2580") == .exhausted)
    #expect(throws: MAMError(.pinRetriesExceeded, "")) { try second.pins.reset() }
    #expect(try await second.stepSummary(mayAsk: false) == "wipe")
    #expect(try second.account("alice")?.isWiping ?? true)
    try await second.wipes.finish(of: .user("alice"))
    #expect(try second.account("alice") == nil)
    #expect(try second.enroll("alice") == 100)
    #expect(try await second.stepSummary() == "setPIN")
    world.advance(minutes: 1)
    #expect(try await first.stepSummary() == "setPIN")
  }

  @Test("A wrong former PIN in a change of the PIN counts as a try")
  func change() async throws {
    let core = try PINFixture(Self.wiping).enrolled()
    try core.pins.set("2580")
    for _ in 0..<4 { await #expect(throws: MAMError(.wrongPIN, "")) { try await core.pins.change("0000", "8520") } }
    let error = await #expect(throws: MAMError.self) { try await core.pins.change("0000", "8520") }
    #expect(error?.code == .pinRetriesExceeded)
    #expect(error?.messageKey == "ExceededMaxPinRetries_Message")
    #expect(try core.account("alice") == nil)
  }

  @Test(
    "Apps have the same publisher if the first two labels of their ids are equal, ignoring case",
    arguments: [
      ("com.example.host", "com.example"), ("COM.Example.other.app", "com.example"),
      ("com.examples.host", "com.examples"), ("com", "com"), ("com.example", "com.example"),
    ])
  func publisher(_ appId: String, _ publisher: String) {
    #expect(StateFolder(root: "/", appId: appId).publisher == publisher)
  }
}

/// Processes that try PINs, and are killed at it.
@Suite(
  .enabled(if: ChildProcess.isPossible && ChildProcess.role == nil, "tests are no program of their own here"),
  .ownThreads)
struct PINProcessTests {
  @Test("Processes that try PINs at the same time share one count of tries")
  func together() throws {
    let world = PINFixture(#""pinRequired": true, "maximumPinRetries": 30"#)
    let core = try world.enrolled()
    try core.pins.set("2580")
    let children = try (0..<3).map { _ in try #require(ChildProcess(.tryPIN, world.fixture, detail: "0000")) }
    var lookedAt = 0
    for child in children { while child.waitForReport() { lookedAt += 1 } }
    for child in children { #expect(child.waitForEnd()) }
    // The thirtieth ends with the verdict that it was the last, and is not reported.
    #expect(lookedAt == 29)
    #expect(try world.tries() == 30)
    #expect(try core.tryPIN("2580") == .exhausted)
  }

  @Test("A try counts even if the process is killed before it compares the PIN")
  func killed() async throws {
    let world = PINFixture()
    let core = try world.enrolled()
    try core.pins.set("2580")
    // Takes a child hours, in which it can be killed.
    try world.change("UPDATE pins SET parallelism = 1000000, cost = 8")
    for round in 1...4 {
      let child = try #require(ChildProcess(.tryPIN, world.fixture, detail: "0000"))
      #expect(await eventually { (try? world.tries()) == round })
      child.kill()
    }
    try world.change("UPDATE pins SET parallelism = 1, cost = 16")
    #expect(try core.pins.status(of: nil).retriesLeft == 1)
    #expect(try core.tryPIN("0000") == .exhausted)
    #expect(try core.tryPIN("2580") == .exhausted)
  }
}

/// What the children of `PINProcessTests` run.
@Suite(.enabled(if: ChildProcess.role == .tryPIN, "run by other tests, in a process of its own"))
struct ChildPINTests {
  @Test("A child process tries a PIN until no tries are left")
  func tries() throws {
    let core = Core(
      CoreConfiguration(
        stateFolder: StateFolder(root: ChildProcess.state, appId: "com.example.host"),
        tenant: .folder(ChildProcess.tenant)))
    while case .wrong = try core.tryPIN(ChildProcess.detail) { ChildProcess.report() }
  }
}
