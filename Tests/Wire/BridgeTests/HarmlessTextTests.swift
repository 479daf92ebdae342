import Testing

@testable import Bridge

@Suite struct HarmlessTextTests {
  private func harmless(_ text: String) -> String {
    var text = text
    return text.withUTF8 { String(harmless: $0) }
  }

  @Test("What a host says of a failed sign-in becomes one line of at most 200 characters")
  func line() {
    #expect(harmless("No network.\n Try\tlater.\u{7}") == "No network. Try later")
    let words = String(repeating: "no ", count: 66)
    #expect(harmless(words + "ok") == words + "ok")
    #expect(harmless(words + "okay").count == 200)
    #expect(harmless(words + "okay").hasSuffix("…"))
  }
}
