import Testing

@testable import MAM

@Suite struct UserMessageTests {
  @Test("every message has a text, and names no program", arguments: UserMessage.allCases)
  func texts(_ message: UserMessage) {
    let text = message.text()
    #expect(!text.isEmpty && !text.hasSuffix(" ") && !text.contains("mambridge") && !text.contains("\n"))
    #expect(message.rawValue.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") })
  }
}
