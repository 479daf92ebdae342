import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

@Suite("A challenge returns the user's answer to the call that asked", .ownThreads, .timeLimit(.minutes(5)))
struct ChallengeOutcomeTests {
  private static let alice = AccountReference.user("alice")
  private let world = PINFixture(PINFixture.fiveTries + #", "periodBeforePinReset": "P1D""#)

  /// A device on which a PIN can be set, entered or changed, as the kind needs.
  private func core(for kind: Challenge.Kind) throws -> Core {
    let core = try world.enrolled()
    guard [.enterPIN, .changePIN].contains(kind) else { return core }
    try core.pins.set("2580")
    if kind == .changePIN {
      world.advance(minutes: 1440)
      #expect(try core.tryPIN("2580") == .right(mustChange: true))
    }
    return core
  }

  private func ask(
    _ kind: Challenge.Kind, _ core: Core, _ host: any Host = NoHost()
  ) async throws -> Challenges.Outcome {
    core.host = host
    let acceptance: UserQuestion.Acceptance =
      switch kind {
      case .warning: .lasting
      case .credentials: .once(since: .never)
      case .setPIN, .enterPIN, .changePIN: .ignored
      }
    let notice = UserNotice(.alert(.noPolicyTitle), .alert(.noPolicyMessage))
    let question = UserQuestion(
      kind: kind, reference: Self.alice, window: nil, notice: notice, acceptance: acceptance)
    return try await core.challenges.ask(question, takingAnswer: true, askingHost: true)
  }

  private func rightAnswer(to kind: Challenge.Kind) throws -> ChallengeAnswer {
    switch kind {
    case .warning: .acceptance(true)
    case .credentials: try .token("t", of: TenantFolder.upn("alice"))
    case .setPIN, .enterPIN: .pin(try #require(HostSecret("2580")))
    case .changePIN: .pin(try #require(HostSecret("8520")))
    }
  }

  /// Whether an answer from before the call counts: what a PIN answers, the PIN itself tells.
  private func countsLater(_ kind: Challenge.Kind) -> Bool { !Challenge.Kind.pin.contains(kind) }

  private func challenge(_ outcome: Challenges.Outcome) throws -> Challenge {
    guard case .open(let challenge) = outcome else { throw MAMError(.challengeNotOpen, "\(outcome)") }
    return challenge
  }

  @Test("The answer of the host's user ends the call and closes the challenge", arguments: Challenge.Kind.allCases)
  func host(_ kind: Challenge.Kind) async throws {
    let core = try core(for: kind)
    #expect(try await ask(kind, core, AnsweringHost(.canceled)) == .canceled)
    let open = try challenge(try await ask(kind, core))
    #expect(open.kind == kind)
    #expect(try await ask(kind, core, AnsweringHost(try rightAnswer(to: kind))) == .accepted)
    await #expect(throws: MAMError(.challengeNotOpen, "")) {
      try await core.challenges.answer(open.id, with: .canceled)
    }
  }

  @Test(
    "An answer given earlier in another process ends one call; an accepted warning stays accepted",
    arguments: Challenge.Kind.allCases)
  func before(_ kind: Challenge.Kind) async throws {
    let (core, other) = (try core(for: kind), try world.core())
    var open = try challenge(try await ask(kind, core))
    _ = try await other.challenges.answer(open.id, with: .canceled)
    #expect(try await ask(kind, core) == .canceled)
    open = try challenge(try await ask(kind, core))
    #expect(try await other.challenges.answer(open.id, with: try rightAnswer(to: kind)).accepted)
    #expect(try await ask(kind, core) == .accepted || !countsLater(kind))
    #expect(try await (ask(kind, core) == .accepted) == (kind == .warning))
  }

  @Test(
    "An answer from another process ends the call while the host still asks its user",
    arguments: Challenge.Kind.allCases)
  func meanwhile(_ kind: Challenge.Kind) async throws {
    let (core, other) = (try core(for: kind), try world.core())
    let right = try rightAnswer(to: kind)
    let answers: [(ChallengeAnswer, Challenges.Outcome)] = [(.canceled, .canceled), (right, .accepted)]
    for (answer, outcome) in answers {
      let id = try challenge(try await ask(kind, core)).id
      let host = AnsweringHost(right) { _ = try? await other.challenges.answer(id, with: answer) }
      #expect(try await ask(kind, core, host) == outcome)
    }
  }

  @Test(
    "A call ends without an answer if its challenge is withdrawn while the host asks its user",
    arguments: Challenge.Kind.allCases)
  func withdrawn(_ kind: Challenge.Kind) async throws {
    let core = try core(for: kind)
    let open = try challenge(try await ask(kind, core))
    let host = AnsweringHost(try rightAnswer(to: kind)) { try? core.challenges.withdraw([open]) }
    #expect(try await ask(kind, core, host) == .over)
  }

  @Test(
    "A call that ignores earlier answers opens a new challenge and leaves them to the next call",
    arguments: Challenge.Kind.allCases)
  func kept(_ kind: Challenge.Kind) async throws {
    let core = try core(for: kind)
    let open = try challenge(try await ask(kind, core))
    _ = try await core.challenges.answer(open.id, with: .canceled)
    let notice = UserNotice(.alert(.noPolicyTitle), .alert(.noPolicyMessage))
    let question = UserQuestion(kind: kind, reference: Self.alice, window: nil, notice: notice)
    let outcome = try await core.challenges.ask(question, takingAnswer: false, askingHost: false)
    #expect(try challenge(outcome).id != open.id)
    #expect(try await ask(kind, core) == .canceled)
  }
}

/// Gives one answer to every question.
private struct AnsweringHost: Host {
  let answer: ChallengeAnswer
  /// What happens while the user is asked.
  let meanwhile: @Sendable () async -> Void

  init(_ answer: ChallengeAnswer, _ meanwhile: @escaping @Sendable () async -> Void = {}) {
    self.answer = answer
    self.meanwhile = meanwhile
  }

  func promptForPIN(_ challenge: Challenge) async -> HostAnswer<PINEntry> {
    await meanwhile()
    guard case .pin(let pin) = answer else { return .canceled }
    return .value(.pin(pin))
  }

  func promptForCredentials(
    identity: String?, window: String?, message: String
  ) async -> HostAnswer<Credentials> {
    await meanwhile()
    guard case .credentials(let token, let name?) = answer else { return .canceled }
    return .value(Credentials(userPrincipalName: name, token: token))
  }

  func showAlert(_ alert: HostAlert) async -> String? {
    await meanwhile()
    guard case .acceptance(true) = answer else { return alert.actions.last }
    return alert.actions.first
  }
}
