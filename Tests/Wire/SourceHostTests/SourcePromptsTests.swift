import MAM
import Support
import TestSupport
import Testing

@testable import SourceHost

@Suite(.timeLimit(.minutes(5))) struct SourcePromptsTests {
  private let prompts = SourcePrompts()
  /// Who was shown which code, in order.
  private let shown = Lock<[String]>([])

  private func begin(_ name: String) async -> Int? {
    await prompts.begin { [shown] prompt in shown.withLock { $0.append("\(name): \(prompt.userCode)") } }
  }

  private func show(_ code: String) -> Bool {
    prompts.show(
      SourcePrompt(verificationUri: "https://contoso.example", userCode: code, message: "", expires: .distantFuture))
  }

  @Test("Each prompt of a source goes to the sign-in that began last and has not ended")
  func turns() async throws {
    let first = try #require(await begin("first"))
    #expect(show("1"))
    let second = try #require(await begin("second"))
    #expect(show("2"))
    #expect(show("3"))
    prompts.end(second)
    #expect(show("4"))
    prompts.end(first)
    #expect(!show("5"))
    #expect(shown.withLock { $0 } == ["first: 1", "second: 2", "second: 3", "first: 4"])
  }

  @Test("A sign-in waits until the sign-in before it has had its first prompt or has ended")
  func waiting() async throws {
    let first = try #require(await begin("first"))
    let waiting = Task { await begin("second") }
    let cancelled = Task { await begin("third") }
    cancelled.cancel()
    #expect(await cancelled.value == nil)
    prompts.end(first)
    let second = try #require(await waiting.value)
    #expect(show("1"))
    prompts.end(second)
    #expect(shown.withLock { $0 } == ["second: 1"])
  }
}
