import Support
import Testing

@testable import MAM
@testable import Model

@Suite(.timeLimit(.minutes(5))) struct LoginTests {
  private let fixture = CoreFixture()
  private static let alice = TenantFolder.upn("alice")

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var answers: [String: SignInHost.Answer]
    var code: Int
    var questions: [String]

    init(_ text: String, _ answers: [String: SignInHost.Answer], _ code: Int, _ questions: [String]) {
      testDescription = text
      self.answers = answers
      self.code = code
      self.questions = questions
    }
  }

  @Test(
    "A login of a named user tries a silent token, then an interactive token, then the prompt",
    arguments: [
      Case("a token that is there", ["silent": .token("t"), "prompt": .canceled], 100, ["silent"]),
      Case("a token by asking", ["token": .token("t")], 100, ["silent", "token"]),
      Case("the prompt", ["prompt": .credentials(alice, "t")], 100, ["silent", "token", "prompt"]),
      Case("by the id", ["prompt": .credentials(TenantFolder.id("alice"), "t")], 100, ["silent", "token", "prompt"]),
      Case("cancel of the token", ["token": .canceled, "prompt": .canceled], 219, ["silent", "token"]),
      Case("cancel of the prompt", ["prompt": .canceled], 219, ["silent", "token", "prompt"]),
      Case("an empty token", ["silent": .token("")], 203, ["silent"]),
      Case(
        "somebody else", ["prompt": .credentials(TenantFolder.upn("bob"), "t")], 203, ["silent", "token", "prompt"]),
      Case("nobody", ["prompt": .credentials("", "t")], 203, ["silent", "token", "prompt"]),
    ])
  func named(_ login: Case) async throws {
    let core = try fixture.core()
    let host = SignInHost(login.answers)
    core.host = host
    let status = try await core.login.loginAndEnroll(.user("alice"), in: "main")
    #expect(status.statusCode.sdkValue == login.code)
    #expect(host.questions == login.questions)
    #expect(status.didSucceed == (status.errorString == nil))
    #expect(core.state.accounts.count == (login.code == 100 ? 1 : 0))
    let statuses = try fixture.events().filter { $0.status != nil }.map(\.summary)
    #expect(statuses == ["enrollmentRequestWithStatus \(login.code)"])
  }

  @Test("A login without a name signs in the user of the managed device, or else any user")
  func unnamed() async throws {
    let core = try fixture.core()
    let prompt = SignInHost(["prompt": .credentials(TenantFolder.upn("bob"), "t")])
    core.host = prompt
    let status = try await core.login.loginAndEnroll(nil, in: nil)
    #expect(status.identity == TenantFolder.upn("bob"))
    #expect(status.statusCode.sdkValue == 103)
    #expect(prompt.questions == ["prompt"])

    let managed = CoreFixture()
    managed.tenant.writeTenant(more: #""mdm": {"user": "\#(Self.alice)"},"#)
    let other = try managed.core()
    other.host = SignInHost(["silent": .token("t")])
    #expect(try await other.login.loginAndEnroll(nil, in: nil).identity == Self.alice)
  }

  @Test("A login for an enrolled account or for no user asks the host nothing")
  func nothingToAsk() async throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    let host = SignInHost(["silent": .token("t")])
    core.host = host
    #expect(try await core.login.loginAndEnroll(.user("alice"), in: nil).statusCode == .alreadyEnrolled)
    #expect(try await core.login.loginAndEnroll(.noUser, in: nil).statusCode == .nilAccount)
    #expect(host.questions == [])
  }

  @Test("A login of a registered account tries to enroll it again")
  func again() async throws {
    let core = try fixture.core()
    #expect(try core.enroll("carol") == 225)
    fixture.tenant.writeTenant(users: [TenantFolder.User(name: "carol", groups: ["staff"])])
    core.host = SignInHost(["silent": .token("t")])
    #expect(try await core.login.loginAndEnroll(.user("carol"), in: nil).statusCode == .newPoliciesReceived)
  }

  @Test("A repeated login uses up the answer that another process gave to its challenge")
  func challenge() async throws {
    let (core, other) = (try fixture.core(), try fixture.core())
    let error = await #expect(throws: MAMError(.challenge, "")) {
      try await core.login.loginAndEnroll(nil, in: "main")
    }
    let challenge = try #require(error?.challenge)
    #expect(challenge.kind == .credentials)
    #expect(challenge.window == "main")
    #expect(challenge.account == nil)
    #expect(try await other.challenges.answer(challenge.id, with: .token("t", of: Self.alice)).accepted)
    let status = try await core.login.loginAndEnroll(nil, in: "main")
    #expect(status.statusCode == .newPoliciesReceived)
    #expect(status.identity == Self.alice)
    #expect(try core.challenges.all(about: nil).isEmpty)
  }

  @Test("A canceled challenge ends the repeated login with 219; the login after that opens a new challenge")
  func canceled() async throws {
    let core = try fixture.core()
    let error = await #expect(throws: MAMError.self) { try await core.login.loginAndEnroll(.user("alice"), in: nil) }
    let id = try #require(error?.challenge?.id)
    #expect(try await core.challenges.answer(id, with: .canceled) == ChallengeReply(accepted: false))
    #expect(try await core.login.loginAndEnroll(.user("alice"), in: nil).statusCode == .loginCanceled)
    let next = await #expect(throws: MAMError(.challenge, "")) {
      try await core.login.loginAndEnroll(.user("alice"), in: nil)
    }
    #expect(next?.challenge != nil)
    #expect(next?.challenge?.id != id)
  }
}
