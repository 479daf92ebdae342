import TestSupport
import Testing

@testable import Bridge

@Suite(.ownThreads) struct MethodReportTests {
  @Test("every method is found by its name")
  func names() {
    #expect(API.methods.allSatisfy { method in API.byName[method.name].map { $0 == method } ?? false })
  }

  @Test("every method is called by a test of this folder")
  func calls() throws {
    let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let texts = filesOf(folder: folder).compactMap(readFile).map { String(decoding: $0, as: UTF8.self) }
    let text = try #require(texts.isEmpty ? nil : texts.joined())
    let uncalled = API.methods.map { $0.name }.filter { !text.contains("\"\($0)\"") }
    #expect(uncalled == [])
  }
}
