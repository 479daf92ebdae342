import Glibc
import TestSupport
import Testing

@Suite struct AccountLifeDocumentTests {
  private static let path =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
    + "/docs/account-life.md"

  @Test("docs/account-life.md says what the tables in the code say")
  func document() throws {
    if getenv("MAMBRIDGE_WRITE_DOCS") != nil { try write() }
    let text = String(decoding: try #require(readFile(Self.path)), as: UTF8.self)
    let isCurrent = text == AccountLifeDocument.text
    #expect(isCurrent, "MAMBRIDGE_WRITE_DOCS=1 swift test --filter AccountLifeDocumentTests")
  }

  private func write() throws {
    let file = try #require(fopen(Self.path, "w"))
    fputs(AccountLifeDocument.text, file)
    fclose(file)
  }
}
