import TestSupport
import Testing

@Suite struct AccountLifeDocumentTests {
  @Test("docs/account-life.md matches the tables in the code")
  func document() throws {
    #expect(
      try GeneratedDocument("account-life.md").isCurrent(AccountLifeDocument.text),
      "MAMBRIDGE_WRITE_DOCS=1 swift test --filter AccountLifeDocumentTests")
  }
}
