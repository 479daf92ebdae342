import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite("The PIN step of a launch", .ownThreads, .timeLimit(.minutes(5))) struct PINStepTests {
  private func world(_ answers: [PINHost.Answer] = [], _ policy: String = PINFixture.fiveTries) throws -> World {
    let (fixture, host) = (PINFixture(policy), PINHost(answers))
    return World(fixture: fixture, host: host, core: try fixture.enrolled(host: host))
  }

  private struct World {
    let fixture: PINFixture
    let host: PINHost
    let core: Core
  }

  @Test("A launch asks for no PIN if the account has no policy or its policy requires none")
  func notRequired() async throws {
    let core = try PINFixture(#""pinRequired": false"#).enrolled()
    #expect(try core.enroll("bob") == 103)
    for name in ["alice", "bob"] { #expect(try await core.stepSummary(name) == "notRequired") }
  }

  @Test("The host is prompted for a new PIN until it enters one that the policy allows")
  func set() async throws {
    let policy = PINFixture.fiveTries + #", "minimumPinLength": 4, "pinCharacterSet": "numeric""#
    let world = try world([.pin("12"), .pin("abcd"), .pin("2580")], policy)
    #expect(try await world.core.stepSummary() == "passed")
    #expect(world.host.asked == ["setPIN", "setPIN", "setPIN"])
    let challenges = world.host.challenges
    #expect(Set(challenges.map(\.id)).count == 1)
    #expect(Set(challenges.map(\.message)).count == 3)
    #expect(challenges.allSatisfy { $0.window == "w" && $0.identity == TenantFolder.upn("alice") })
    #expect(challenges.first?.message.contains("4 characters") == true)
    #expect(try await world.core.stepSummary() == "passed")
    #expect(world.host.asked.count == 3)
  }

  @Test("An entered PIN is valid until 30 minutes pass without use, and is then asked for again")
  func recheck() async throws {
    let world = try world([.pin("2580"), .pin("0000"), .pin("2580")])
    #expect(try await world.core.stepSummary() == "passed")
    world.fixture.advance(minutes: 29)
    #expect(try await world.core.stepSummary() == "passed")
    world.fixture.advance(minutes: 1)
    #expect(try await world.core.stepSummary(due: false, mayAsk: false) == "passed")
    #expect(try await world.core.stepSummary(mayAsk: false) == "enterPIN")
    #expect(world.host.asked.count == 1)
    #expect(try await world.core.stepSummary() == "passed")
    #expect(world.host.asked == ["setPIN", "enterPIN", "enterPIN"])
  }

  @Test("If periodOnlineBeforeAccessCheck is zero, the call that asked for the PIN passes when repeated")
  func noTime() async throws {
    let world = try world([], #""pinRequired": true, "periodOnlineBeforeAccessCheck": "PT0S""#)
    let step = try await world.core.step()
    #expect(try await world.core.answer("2580", to: step).accepted)
    #expect(try await world.core.stepSummary() == "passed")
    world.fixture.advance(minutes: 1)
    #expect(try await world.core.stepSummary() == "enterPIN")
  }

  @Test("A canceled PIN prompt or challenge ends one launch step with canceled, and the next asks again")
  func cancel() async throws {
    let world = try world([.canceled])
    #expect(try await world.core.stepSummary() == "canceled")
    let step = try await world.core.step()
    #expect(step.summary == "setPIN")
    _ = try await world.core.challenges.answer(try #require(step.challenge).id, with: .canceled)
    #expect(try await world.core.stepSummary(mayAsk: false) == "setPIN")
    #expect(try await world.core.stepSummary() == "canceled")
    #expect(try await world.core.stepSummary() == "setPIN")
  }

  @Test("After too many wrong PINs, one launch step asks for a sign-in and a new PIN, and passes")
  func exhausted() async throws {
    let world = try world([.pin("2580")])
    #expect(try await world.core.stepSummary() == "passed")
    world.fixture.advance(minutes: 30)
    world.host.give(Array(repeating: .pin("0000"), count: 5) + [.token(""), .token("t"), .pin("8520")])
    #expect(try await world.core.stepSummary() == "passed")
    #expect(world.host.asked.suffix(4) == ["enterPIN", "credentials", "credentials", "setPIN"])
    #expect(try world.core.tryPIN("8520") == .right(mustChange: false))
  }

  @Test("If the policy says wipe, too many wrong PINs wipe the account, and switching to it fails")
  func wipe() async throws {
    let world = try world(
      [.pin("2580")], PINFixture.fiveTries + #", "appActionIfMaximumPinRetriesExceeded": "wipe""#)
    #expect(try await world.core.stepSummary() == "passed")
    world.fixture.advance(minutes: 30)
    world.host.give(Array(repeating: .pin("0000"), count: 5))
    let account = try #require(try world.core.account("alice"))
    let identities = world.core.makeIdentities()
    let shown = try await world.core.windows.show(
      account.reference, window: "w", of: identities, in: LaunchSession())
    #expect(shown == .failed)
    #expect(try world.core.account("alice") == nil)
    #expect(identities.window("w") == nil)
    #expect(try world.fixture.fixture.events().map(\.type).filter { $0 == "wipeDidComplete" }.count == 1)
  }

  @Test("A PIN challenge closes once another process sets or resets the PIN")
  func outdated() async throws {
    let world = try world()
    let other = try world.fixture.enrolled()
    let step = try await world.core.step()
    #expect(try await other.step().challenge == step.challenge)
    try other.pins.set("2580")
    await #expect(throws: MAMError(.challengeNotOpen, "")) { try await world.core.answer("8520", to: step) }
    world.fixture.advance(minutes: 30)
    let enter = try await world.core.step()
    try other.pins.reset()
    await #expect(throws: MAMError(.challengeNotOpen, "")) { try await world.core.answer("2580", to: enter) }
    #expect(try await world.core.stepSummary() == "setPIN")
    try other.pins.set("2580")
    #expect(try await world.core.stepSummary() == "passed")
    #expect(try world.core.challenges.all(about: .user("alice")).isEmpty)
  }

  @Test("Of two answers to a challenge for a new PIN, only the first one counts")
  func race() async throws {
    let world = try world()
    let other = try world.fixture.enrolled()
    let step = try await world.core.step()
    #expect(try await other.answer("8520", to: step).accepted)
    await #expect(throws: MAMError(.challengeNotOpen, "")) { try await world.core.answer("2580", to: step) }
    #expect(try world.core.tryPIN("8520") == .right(mustChange: false))
  }

  @Test("A PIN challenge refuses an answer of another kind, with a hint")
  func wrongKind() async throws {
    let world = try world()
    let set = try #require(try await world.core.step().challenge)
    for answer in [ChallengeAnswer.biometric(.faceID), .acceptance(true), try .token("t")] {
      let error = await #expect(throws: MAMError.self) { try await world.core.challenges.answer(set.id, with: answer) }
      #expect(error?.code == .wrongAnswer)
      #expect(error?.hint?.contains("pin") == true)
    }
  }

  @Test("An allowed biometric replaces the PIN until pinRequiredInsteadOfBiometricTimeout passes")
  func biometrics() async throws {
    let policy = PINFixture.fiveTries + #", "faceIdBlocked": true, "pinRequiredInsteadOfBiometricTimeout": "PT12H""#
    let world = try world([.pin("2580")], policy)
    #expect(try await world.core.stepSummary() == "passed")
    #expect(world.host.challenges.last?.biometrics == nil)
    world.fixture.advance(minutes: 30)
    world.host.give([.biometric(.faceID), .biometric(.touchID)])
    #expect(try await world.core.stepSummary() == "passed")
    #expect(world.host.challenges.suffix(2).map(\.biometrics) == [[.touchID], [.touchID]])
    #expect(world.host.challenges.suffix(2).map(\.message).last?.contains("PIN now") == true)
    world.fixture.advance(minutes: 29)
    #expect(try await world.core.stepSummary() == "passed")
    world.fixture.advance(minutes: 720 - 59)
    world.host.give([.biometric(.touchID), .pin("2580")])
    #expect(try await world.core.stepSummary() == "passed")
    #expect(world.host.challenges.suffix(2).map(\.biometrics) == [nil, nil])
    world.fixture.advance(minutes: 30)
    world.host.give([.biometric(.touchID)])
    #expect(try await world.core.stepSummary() == "passed")
  }

  @Test("A biometric does not restore tries, and is refused after the last wrong PIN")
  func biometricTries() async throws {
    let world = try world([.pin("2580")])
    _ = try await world.core.step()
    for _ in 0..<4 { _ = try world.core.tryPIN("0000") }
    world.fixture.advance(minutes: 30)
    let enter = try await world.core.step()
    let id = try #require(enter.challenge).id
    #expect(try await world.core.challenges.answer(id, with: .biometric(.touchID)).accepted)
    #expect(try world.core.pins.status(of: nil).retriesLeft == 1)
    world.fixture.advance(minutes: 30)
    let again = try #require(try await world.core.step().challenge)
    #expect(again.biometrics == [.touchID, .faceID])
    _ = try world.core.tryPIN("0000")
    await #expect(throws: MAMError(.challengeNotOpen, "")) {
      try await world.core.challenges.answer(again.id, with: .biometric(.touchID))
    }
  }
}
