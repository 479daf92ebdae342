import Testing

@testable import JSONRPC

@Suite("Codes and limits have stable names")
struct CodeTests {
  @Test(
    "the codes of the wire",
    arguments: [
      (-32700, "parseError", false), (-32600, "invalidRequest", false), (-32601, "methodNotFound", false),
      (-32602, "invalidParams", false), (-32603, "internalError", false), (-32001, "notAuthenticated", false),
      (-32002, "shuttingDown", true), (-32003, "deadlineExceeded", true), (-32004, "limitExceeded", false),
      (-32800, "cancelled", false),
    ])
  func codes(_ value: Int, _ name: String, _ isRetryable: Bool) throws {
    let code = try #require(RPCErrorCode(rawValue: value))
    #expect(code.name == name)
    #expect(code.isRetryable == isRetryable)
    #expect(!code.message.isEmpty)
  }

  @Test("the table above is whole")
  func whole() {
    #expect(RPCErrorCode.allCases.count == 10)
  }

  @Test("the limits, and whether waiting helps")
  func limits() {
    let names = LimitName.allCases.map(\.rawValue)
    #expect(names == ["message", "nesting", "values", "batch", "reply", "inFlight", "output", "connections"])
    #expect(LimitName.allCases.filter(\.isRetryable) == [.inFlight, .output, .connections])
  }

  @Test("failures know their code")
  func failures() {
    #expect(FramingFailure.header.code == .parseError)
    #expect(FramingFailure.truncated.code == .parseError)
    #expect(FramingFailure.tooLong(LimitExcess(.message, 1)).code == .limitExceeded)
    #expect(ScanFailure.limit(LimitExcess(.batch, 1), id: nil).code == .limitExceeded)
    #expect(ScanFailure.syntax(JSONSyntaxError(reason: .invalidUTF8, offset: 0)).code == .parseError)
  }
}
