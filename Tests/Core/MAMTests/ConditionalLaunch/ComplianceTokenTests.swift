import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

/// What a remediation does if the policy source needs a token of the user.
@Suite("remediateCompliance with a source that needs a token", .timeLimit(.minutes(5)), .ownThreads)
struct ComplianceTokenTests {
  private static let alice = AccountReference.user("alice")

  /// A host that gives tokens without its user, with its user, or by a prompt; and only to those who ask.
  private final class AskedHost: Host {
    let tokenDelegate: TokenDelegate? = .acquireToken
    private let asked = Lock<[String]>([])
    private let silent: TokenAnswer
    private let answers: SignInHost

    init(silent: TokenAnswer = .refused("the user must sign in"), _ answers: [String: SignInHost.Answer]) {
      (self.silent, self.answers) = (silent, SignInHost(answers))
    }

    var questions: [String] { asked.withLock { $0 } + answers.questions }

    func token(for request: TokenRequest, from delegate: TokenDelegate) async -> TokenAnswer {
      asked.withLock { $0.append("check-in") }
      return silent
    }

    func acquireToken(for account: Account, resource: String, silent: Bool) async -> HostAnswer<AccessToken> {
      await answers.acquireToken(for: account, resource: resource, silent: silent)
    }

    func promptForCredentials(
      identity: String?, window: String?, message: String
    ) async -> HostAnswer<Credentials> {
      await answers.promptForCredentials(identity: identity, window: window, message: message)
    }
  }

  /// Wants a token of a host, and delivers a policy without conditions for it.
  private func world() -> SourceWorld {
    let world = SourceWorld()
    world.source.asksForTokens()
    world.source.delivers(#""pinRequired": false"#)
    return world
  }

  private func reports(_ world: SourceWorld) throws -> [String?] {
    try world.fixture.events().filter { $0.type == "hasComplianceStatus" }.map { $0.body["status"]?.stringValue }
  }

  struct Case: Sendable {
    let answers: [String: SignInHost.Answer]
    let status: ComplianceStatus
    let questions: [String]
    let isEnrolled: Bool
  }

  static let cases = [
    Case(answers: ["token": .token("t")], status: .compliant, questions: ["check-in", "token"], isEnrolled: true),
    Case(
      answers: ["prompt": .credentials(TenantFolder.upn("alice"), "t")], status: .compliant,
      questions: ["check-in", "token", "prompt"], isEnrolled: true),
    Case(answers: ["token": .canceled], status: .userCancelled, questions: ["check-in", "token"], isEnrolled: false),
    Case(
      answers: ["prompt": .canceled], status: .userCancelled, questions: ["check-in", "token", "prompt"],
      isEnrolled: false),
    Case(
      answers: ["prompt": .credentials(TenantFolder.upn("bob"), "t")], status: .serviceFailure,
      questions: ["check-in", "token", "prompt"], isEnrolled: false),
    Case(answers: ["token": .token("")], status: .serviceFailure, questions: ["check-in", "token"], isEnrolled: false),
  ]

  @Test(
    "remediateCompliance asks the user for a token unless silent; only the account's user enrolls", arguments: cases)
  func host(_ example: Case) async throws {
    let world = world()
    let host = AskedHost(example.answers)
    world.core.host = host
    #expect(try await world.core.compliance.remediate(Self.alice, silent: true) == .interactionRequired)
    #expect(host.questions == ["check-in"])
    let again = AskedHost(example.answers)
    world.core.host = again
    #expect(try await world.core.compliance.remediate(Self.alice, silent: false) == example.status)
    #expect(again.questions == example.questions)
    #expect(try world.core.account("alice")?.isEnrolled == example.isEnrolled)
    #expect(try reports(world) == ["interactionRequired", example.status.rawValue])
  }

  @Test("remediateCompliance keeps the policy of an enrolled account, whatever the sign-in returns", arguments: cases)
  func enrolled(_ example: Case) async throws {
    let world = world()
    let token = try #require(HostSecret("t"))
    world.core.host = AskedHost(silent: .token(EnrollmentToken(token: token)), [:])
    #expect(try await world.core.compliance.remediate(Self.alice, silent: true) == .compliant)
    world.core.host = AskedHost(example.answers)
    #expect(try await world.core.compliance.remediate(Self.alice, silent: true) == .interactionRequired)
    #expect(try await world.core.compliance.remediate(Self.alice, silent: false) == example.status)
    #expect(try world.core.account("alice")?.isManaged == true)
  }

  @Test("remediateCompliance asks the user once more if the source refuses the host's token")
  func refused() async throws {
    let world = world()
    world.source.refuses("old")
    let token = try #require(HostSecret("old"))
    let host = AskedHost(silent: .token(EnrollmentToken(token: token)), ["token": .token("new")])
    world.core.host = host
    #expect(try await world.core.compliance.remediate(Self.alice, silent: true) == .interactionRequired)
    #expect(try await world.core.compliance.remediate(Self.alice, silent: false) == .compliant)
    #expect(host.questions == ["check-in", "check-in", "token"])
    world.source.refuses("new")
    #expect(try await world.core.compliance.remediate(Self.alice, silent: false) == .serviceFailure)
  }

  @Test("With nobody to ask, remediateCompliance fails with a challenge; its answer decides the next call")
  func challenge() async throws {
    let world = world()
    for (answer, status) in [
      (ChallengeAnswer.canceled, ComplianceStatus.userCancelled), (try .token("t"), .serviceFailure),
    ] {
      world.core.host = AskedHost([:])
      let error = await #expect(throws: MAMError(.challenge, "")) {
        try await world.core.compliance.remediate(Self.alice, silent: false)
      }
      let challenge = try #require(error?.challenge)
      #expect(try reports(world).count == (status == .userCancelled ? 0 : 1))
      _ = try await world.core.challenges.answer(challenge.id, with: answer)
      #expect(try await world.core.compliance.remediate(Self.alice, silent: false) == status)
    }
    #expect(try reports(world) == ["userCancelled", "serviceFailure"])
  }

  @Test(
    "remediateCompliance lets the user sign in at the source, unless it is silent",
    arguments: [(true, ComplianceStatus.compliant), (false, .userCancelled)])
  func source(_ signsIn: Bool, _ status: ComplianceStatus) async throws {
    let world = SourceWorld()
    world.source.delivers(#""pinRequired": false"#)
    world.source.signsIn { request in
      guard let show = request.show else { return .fault(.signInNeeded) }
      show(.example)
      return signsIn ? .token("t") : .fault(.signInCanceled)
    }
    world.core.host = PromptHost.showing()
    #expect(try await world.core.compliance.remediate(Self.alice, silent: true) == .interactionRequired)
    #expect(world.source.acquired == ["alice silent"])
    #expect(try await world.core.compliance.remediate(Self.alice, silent: false) == status)
    #expect(world.source.acquired == ["alice silent", "alice silent", "alice prompt"])
    #expect(try world.core.account("alice")?.isManaged == signsIn)
  }

  @Test("remediateCompliance fails with the source's challenge if no host shows the sign-in")
  func shownByNobody() async throws {
    let world = SourceWorld()
    world.source.delivers(#""pinRequired": false"#)
    world.source.signsIn { request in
      guard let show = request.show else { return .fault(.signInNeeded) }
      show(.example)
      await untilCancelled()
      return .fault(.signInCanceled)
    }
    let error = await #expect(throws: MAMError(.challenge, "")) {
      try await world.core.compliance.remediate(Self.alice, silent: false)
    }
    let challenge = try #require(error?.challenge)
    #expect(challenge.verificationUri == SourcePrompt.example.verificationUri)
    _ = try await world.core.challenges.answer(challenge.id, with: .canceled)
    #expect(try await world.core.compliance.remediate(Self.alice, silent: false) == .userCancelled)
  }

  @Test(
    "remediateCompliance for an unlisted, disabled or unlicensed user fails without asking for a token",
    arguments: ["unknown", "disabled", "unlicensed"])
  func otherFailures(_ standing: String) async throws {
    let world = SourceWorld()
    world.source.says(standing)
    let host = AskedHost(["token": .token("t")])
    world.core.host = host
    for silent in [true, false] {
      #expect(try await world.core.compliance.remediate(Self.alice, silent: silent) == .serviceFailure)
    }
    #expect(host.questions.isEmpty)
  }
}
