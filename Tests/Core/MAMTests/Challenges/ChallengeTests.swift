import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct ChallengeTests {
  private let fixture = CoreFixture()

  @Test("Asking again, in any process, returns the same challenge; another account or kind gets its own")
  func reuse() throws {
    let (first, second) = (try fixture.core(), try fixture.core())
    let challenge = try first.challenges.openSignIn("alice")
    #expect(challenge.id.utf8.count == 32)
    #expect(challenge.identity == TenantFolder.upn("alice"))
    #expect(challenge.accountId == TenantFolder.id("alice"))
    #expect(try first.challenges.all(about: AccountReference(TenantFolder.id("alice"))).count == 1)
    #expect(challenge.expires == fixture.clock.now.advanced(by: 15 * 60_000))
    #expect(try second.challenges.openSignIn("ALICE") == challenge)
    let others = [
      try second.challenges.openSignIn("bob"), try second.challenges.openSignIn(nil),
      try second.challenges.openWarning("alice"),
    ]
    #expect(Set((others + [challenge]).map(\.id)).count == 4)
  }

  @Test("A challenge expires after 15 minutes: answering it fails, and asking again opens a new challenge")
  func expiry() async throws {
    let core = try fixture.core()
    let challenge = try core.challenges.openSignIn("alice")
    fixture.clock.advance(byMilliseconds: 15 * 60_000)
    let answer = try ChallengeAnswer.token("token")
    await #expect(throws: MAMError(.challengeNotOpen, "")) {
      try await core.challenges.answer(challenge.id, with: answer)
    }
    #expect(try core.challenges.openSignIn("alice").id != challenge.id)
  }

  @Test("An empty token or a token of another user leaves the challenge open and changes its message")
  func wrong() async throws {
    let core = try fixture.core()
    let challenge = try core.challenges.openSignIn("alice")
    let bob = TenantFolder.upn("bob")
    for answer in [try ChallengeAnswer.token(""), try .token("t", of: bob), try .token("t", of: "")] {
      let reply = try await core.challenges.answer(challenge.id, with: answer)
      #expect(!reply.accepted)
      #expect(reply.challenge?.id == challenge.id)
      #expect(reply.challenge?.message != challenge.message)
    }
    #expect(try await core.challenges.answer(challenge.id, with: .token("t", of: TenantFolder.id("alice"))).accepted)
  }

  @Test("An answer of the wrong kind or to an unknown challenge fails with an error that has a hint")
  func refused() async throws {
    let core = try fixture.core()
    let (named, anybody) = (try core.challenges.openSignIn("alice"), try core.challenges.openSignIn(nil))
    let warning = try core.challenges.openWarning("alice")
    let secret = try #require(HostSecret("1234"))
    let cases: [(String, ChallengeAnswer, ErrorCode)] = [
      (named.id, .pin(secret), .wrongAnswer), (named.id, .acceptance(true), .wrongAnswer),
      (anybody.id, .credentials(secret, userPrincipalName: nil), .wrongAnswer),
      (warning.id, .credentials(secret, userPrincipalName: nil), .wrongAnswer),
      ("nobody", .canceled, .challengeNotOpen), ("", .pin(secret), .challengeNotOpen),
    ]
    for (id, answer, code) in cases {
      let error = await #expect(throws: MAMError.self) { try await core.challenges.answer(id, with: answer) }
      #expect(error?.code == code)
      #expect(error?.hint != nil)
    }
  }

  @Test("A warning can be accepted, declined or canceled once", arguments: [true, false, nil])
  func warning(_ isAccepted: Bool?) async throws {
    let core = try fixture.core()
    let challenge = try core.challenges.openWarning("alice")
    let answer = isAccepted.map(ChallengeAnswer.acceptance) ?? .canceled
    let reply = try await core.challenges.answer(challenge.id, with: answer)
    #expect(reply == ChallengeReply(accepted: isAccepted ?? false))
    await #expect(throws: MAMError(.challengeNotOpen, "")) {
      try await core.challenges.answer(challenge.id, with: answer)
    }
    let outcomes = try core.challenges.all(about: .user("alice")).map(\.outcome)
    #expect(outcomes == [isAccepted == true ? .accepted : .canceled])
  }

  @Test("Canceling a challenge that another process has answered meanwhile fails, and the answer counts")
  func answeredMeanwhile() async throws {
    let (first, second) = (try fixture.core(), try fixture.core())
    let challenge = try first.challenges.openWarning("alice")
    #expect(try await second.challenges.answer(challenge.id, with: .acceptance(true)).accepted)
    #expect(throws: MAMError(.challengeNotOpen, "")) { try first.challenges.cancel(challenge) }
    #expect(try first.challenges.all(about: .user("alice")).map(\.outcome) == [.accepted])
  }

  @Test("A sign-in stores its time but no token; unenrolling removes that time and open challenges")
  func secrets() async throws {
    let core = try fixture.core("VerboseLoggingEnabled=true")
    let challenge = try core.challenges.openSignIn("alice")
    _ = try await core.challenges.answer(challenge.id, with: .token("open sesame"))
    let host = SignInHost(["silent": .token("open sesame")])
    core.host = host
    #expect(try await core.login.loginAndEnroll(.user("alice"), in: nil).statusCode == .newPoliciesReceived)
    #expect(host.questions == [])
    #expect(try core.source.status(of: .user("alice")).accounts.first?.signedInAt == fixture.clock.now)
    for folder in [fixture.state.app, fixture.state.logs, fixture.state.keys] {
      for bytes in filesOf(folder: folder).compactMap(readFile) {
        #expect(!String(decoding: bytes, as: UTF8.self).contains("sesame"))
      }
    }
    _ = try core.challenges.openSignIn("alice")
    #expect(try core.unenroll("alice") == 104)
    #expect(try core.challenges.all(about: .user("alice")).isEmpty)
    #expect(core.state.signIns.time(of: Account(accountId: TenantFolder.id("alice"), identity: nil)) == nil)
  }
}
