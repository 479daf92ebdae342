import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model

/// Who is asked for the tokens of a source that can sign in users, and what becomes of its answers.
@Suite(.timeLimit(.minutes(5)), .ownThreads) struct SourceSignInTests {
  private let world = SourceWorld()

  /// Needs the user, and then gives a token.
  private static let asking: FakeSource.Acquire = { request in
    guard let show = request.show else { return .fault(.signInNeeded) }
    show(.example)
    return .token("t")
  }

  struct Order: Sendable {
    let delegate: TokenDelegate?
    let hasCommand, asksForTokens, signsIn: Bool
    let asked: String?
  }

  @Test(
    "A token comes from the host, else from the token command, else from a source that can sign in",
    arguments: [
      Order(delegate: .getAccessToken, hasCommand: true, asksForTokens: true, signsIn: true, asked: "host"),
      Order(delegate: .getAccessToken, hasCommand: false, asksForTokens: false, signsIn: true, asked: "host"),
      Order(delegate: .acquireToken, hasCommand: true, asksForTokens: true, signsIn: true, asked: "host"),
      Order(delegate: nil, hasCommand: true, asksForTokens: true, signsIn: true, asked: "command"),
      Order(delegate: nil, hasCommand: false, asksForTokens: true, signsIn: true, asked: "source"),
      Order(delegate: nil, hasCommand: false, asksForTokens: true, signsIn: false, asked: nil),
      Order(delegate: .acquireToken, hasCommand: true, asksForTokens: false, signsIn: true, asked: "source"),
    ])
  func order(_ order: Order) async throws {
    let world = SourceWorld { if order.hasCommand { $0.tokenCommand = ["/bin/echo", "command"] } }
    world.source.delivers(#""pinRequired": true"#)
    if order.asksForTokens { world.source.asksForTokens() }
    if order.signsIn { world.source.signsIn { _ in .token("source") } }
    let host = TokenHost(order.delegate) { .token("host", of: $0.account) }
    world.core.host = host
    #expect(try await world.enroll() == (order.asked == nil ? 203 : 100))
    #expect(world.source.acquired == (order.asked == "source" ? ["alice silent"] : []))
    let token = try #require(world.source.requests.first).token
    #expect(token == order.asked.flatMap { HostSecret($0) })
  }

  @Test(
    "A failed sign-in at the source sets the status of the attempt and never wipes",
    arguments: [
      (SourceFault.Kind.signInNeeded, 203, 203), (.signInCanceled, 219, 219), (.unreachable, 205, 212),
      (.late, 216, 216), (.broken, 206, 206), (.cannotStart, 204, 204), (.disabled, 202, 202),
    ])
  func answers(_ kind: SourceFault.Kind, _ new: Int, _ enrolled: Int) async throws {
    let world = SourceWorld { $0.signInDisplay = .nowhere }
    world.source.signsIn { _ in .fault(kind) }
    world.source.delivers(#""appActionIfUnableToAuthenticateUser": "wipe", "pinRequired": true"#)
    #expect(try await world.enroll() == new)
    #expect(try world.core.account("alice")?.status?.errorString == "The source says \(kind.rawValue).")
    world.source.signsIn { _ in .token("t", lasting: 0) }
    world.source.signsIn(wantsToken: false) { _ in .fault(kind) }
    #expect(try await world.checkIn() == [100])
    world.source.signsIn { _ in .fault(kind) }
    #expect(try await world.checkIn() == [enrolled])
    let account = try #require(try world.core.account("alice"))
    #expect(account.isManaged)
    #expect(!account.isSignInRefused)
    #expect(!account.isWiping)
  }

  @Test("A wipe takes effect even if the user cannot sign in at the source")
  func wipe() async throws {
    world.source.delivers(#""pinRequired": true"#)
    #expect(try await world.enroll() == 100)
    world.source.signsIn(wantsToken: false) { _ in .fault(.unreachable) }
    world.source.wipes("o1")
    _ = try await world.checkIn()
    #expect(try world.core.account("alice") == nil)
  }

  @Test("A token is reused until five minutes before it expires")
  func cache() async throws {
    world.source.delivers(#""pinRequired": true"#)
    world.source.signsIn { _ in .token("t", lasting: 3_600_000) }
    #expect(try await world.enroll() == 100)
    world.fixture.clock.advance(byMilliseconds: 55 * 60_000 - 1)
    #expect(try await world.checkIn() == [101])
    #expect(world.source.acquired.count == 1)
    world.fixture.clock.advance(byMilliseconds: 1)
    world.source.signsIn { _ in .token("t2", lasting: 7_200_000) }
    #expect(try await world.checkIn() == [101])
    #expect(world.source.acquired.count == 2)
    #expect(world.source.requests.last?.token == HostSecret("t2"))
  }

  @Test("A token without an expiry time is used for one check-in, an expired token for none")
  func uncached() async throws {
    world.source.delivers(#""pinRequired": true"#)
    world.source.signsIn { _ in .success(AccessToken(token: HostSecret("t")!, expires: nil)) }
    #expect(try await world.enroll() == 100)
    #expect(try await world.checkIn() == [101])
    #expect(world.source.acquired.count == 2)
    world.source.signsIn { _ in .token("t", lasting: 0) }
    #expect(try await world.checkIn() == [206])
  }

  @Test("A refused token is dropped, and a new one is requested once, with the claims of the refusal")
  func refused() async throws {
    world.source.delivers(#""pinRequired": true"#)
    world.source.signsIn { $0.claims == nil ? .token("old") : .token("new") }
    #expect(try await world.enroll() == 100)
    world.source.refuses("old", claims: "{}")
    #expect(try await world.checkIn() == [101])
    #expect(world.source.acquired == ["alice silent", "alice silent {}"])
    #expect(try await world.checkIn() == [101])
    #expect(world.source.acquired.count == 2)
    world.source.refuses("new")
    world.source.signsIn { $0.show == nil ? .fault(.signInNeeded) : .fault(.signInCanceled) }
    #expect(try await world.checkIn() == [219])
    #expect(world.source.acquired.suffix(2) == ["alice silent", "alice prompt"])
  }

  @Test("A second refused token ends the enrollment with 203")
  func refusedTwice() async throws {
    world.source.delivers(#""pinRequired": true"#)
    world.source.signsIn { _ in .token("bad") }
    world.source.refuses("bad")
    #expect(try await world.enroll() == 203)
    #expect(world.source.acquired == ["alice silent", "alice silent"])
  }

  @Test("Unenrolling an account deletes its cached token")
  func leaving() async throws {
    world.source.delivers(#""pinRequired": true"#)
    world.source.signsIn { _ in .token("t") }
    #expect(try await world.enroll() == 100)
    _ = try await world.core.enrollment.deRegisterAndUnenroll(.user("alice"), withWipe: false)
    #expect(world.core.parts.memory.sourceTokens.token(for: TenantFolder.account("alice"), at: world.core.now) == nil)
  }

  @Test("Scheduled check-ins, moves of the clock and silent remediateCompliance calls never prompt the user")
  func background() async throws {
    world.core.host = PromptHost.showing()
    world.source.delivers(#""pinRequired": true"#)
    world.source.signsIn(wantsToken: false, Self.asking)
    world.core.host = NoHost()
    #expect(try await world.core.enrollment.attempt(.user("alice")).statusCode.sdkValue == 100)
    world.source.signsIn(Self.asking)
    world.core.host = PromptHost.showing()
    world.fixture.clock.advance(byMilliseconds: 30 * 60_000)
    try await world.core.scheduler.runDueAndFollowUp()
    _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 3_600_000)
    _ = try await world.core.compliance.remediate(.user("alice"), silent: true)
    #expect(world.source.acquired.count > 2)
    #expect(world.source.acquired.allSatisfy { $0 == "alice silent" })
    #expect(try world.core.account("alice")?.status?.statusCode.sdkValue == 203)
  }

  @Test("A check-in of two accounts asks an unreachable source for one token, but tries both sign-ins")
  func several() async throws {
    for (kind, count) in [(SourceFault.Kind.unreachable, 1), (.signInNeeded, 2)] {
      let world = SourceWorld { configuration in
        configuration.signInDisplay = .nowhere
        try? configuration.settings.set(flag: "MultiManagedIdentities=true")
      }
      world.source.signsIn { _ in .fault(kind) }
      for name in ["alice", "bob"] { _ = try await world.core.enrollment.enrollAndFollowUp(.user(name)) }
      let before = world.source.acquired.count
      #expect(try await world.checkIn().count == 2)
      #expect(world.source.acquired.count - before == count)
    }
  }
}
