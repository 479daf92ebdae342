import TestSupport
import Testing

@Suite struct AccountLifeDocumentTests {
  @Test("docs/account-life.md says what the tables in the code say")
  func document() throws {
    #expect(
      try GeneratedDocument("account-life.md").isCurrent(AccountLifeDocument.text),
      "MAMBRIDGE_WRITE_DOCS=1 swift test --filter AccountLifeDocumentTests")
  }
}
