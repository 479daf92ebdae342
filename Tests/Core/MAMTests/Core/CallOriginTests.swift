import Model
import Support
import Testing

@testable import MAM

/// What is left of a call in work that begins in it.
@Suite struct CallOriginTests {
  /// What a task knows of the call that it runs.
  private struct Known: Equatable {
    var language: Language?
    var level: SDKLevel?
    var owner: Int?
    var hasConnection = false
    var method: String?
    var hasProgress = false
    var isStopped = false

    static var now: Known {
      let (context, caller) = (CallContext.current, CallOrigin.current)
      return Known(
        language: caller?.language, level: caller?.sdkLevel, owner: caller?.screenOwner.connection,
        hasConnection: caller?.connection != nil,
        method: context?.cause?.method, hasProgress: context?.report != nil,
        isStopped: context?.commitPoint.state == .abandoned)
    }

    static let all = Known(
      language: .japanese, level: .sdk21, owner: 7, hasConnection: true, method: "pin.set",
      hasProgress: true, isStopped: true)
  }

  private let fixture = CoreFixture()

  /// Runs `body` in a call that is stopped, of a connection, with a cause.
  private func inCall(_ body: @Sendable () async throws -> Void) async throws {
    let core = try fixture.core()
    let context = CallContext(report: { _ in }, cause: CallCause(method: "pin.set", id: []))
    #expect(context.commitPoint.abandon())
    try await CallContext.$current.withValue(context) {
      let caller = CallOrigin(
        language: .japanese, sdkLevel: .sdk21, screenOwner: ScreenOwner(connection: 7), connection: core)
      try await CallContext.$current.withValue(.current(by: caller)) { try await body() }
    }
  }

  @Test("A call by a connection keeps the cause and the progress of the call around it")
  func call() async throws {
    try await inCall { #expect(Known.now == .all) }
    #expect(Known.now == Known())
  }

  @Test("Lasting work keeps the caller and the cause of its call, but cannot be stopped with it")
  func lasting() async throws {
    var expected = Known.all
    (expected.hasProgress, expected.isStopped) = (false, false)
    try await inCall { [expected] in
      CallContext.$current.withValue(.lasting) { #expect(Known.now == expected) }
    }
    #expect(CallContext.lasting == nil)
    CallContext.$current.withValue(CallContext()) { #expect(CallContext.lasting == nil) }
  }

  @Test("Background work keeps only the caller of the call that started it")
  func byItself() async throws {
    var expected = Known.all
    (expected.hasProgress, expected.isStopped, expected.method) = (false, false, nil)
    try await inCall { [expected] in
      CallContext.$current.withValue(.byItself) { #expect(Known.now == expected) }
    }
    #expect(CallContext.byItself == nil)
  }

  @Test("Work of an alarm keeps the progress of its call, but not its language or SDK level")
  func alarm() async throws {
    var expected = Known.all
    (expected.language, expected.level) = (nil, nil)
    try await inCall { [expected] in
      let unspoken = try #require(CallOrigin.current?.unspoken)
      CallContext.$current.withValue(.current(by: unspoken)) { #expect(Known.now == expected) }
    }
  }
}
