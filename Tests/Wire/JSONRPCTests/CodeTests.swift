import Testing

@testable import JSONRPC

@Suite("JSON-RPC error codes and limits have stable names")
struct CodeTests {
  @Test(
    "Each JSON-RPC error code has its name, a message, and whether a retry helps",
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

  @Test("RPCErrorCode has ten cases")
  func whole() {
    #expect(RPCErrorCode.allCases.count == 10)
  }

  @Test("The limits of a session have fixed names, and only some of them are retryable")
  func limits() {
    let names = LimitName.allCases.map(\.rawValue)
    let settled = [
      "message", "nesting", "values", "batch", "reply", "inFlight", "inFlightBytes", "output", "connections",
    ]
    #expect(names == settled + ["unauthenticated", "unauthenticatedSeconds", "unauthenticatedMessage"])
    let retryable: [LimitName] = [.inFlight, .inFlightBytes, .output, .connections, .unauthenticated]
    #expect(LimitName.allCases.filter(\.isRetryable) == retryable)
  }

  @Test(
    "Each limit of a session has its default, and a flag changes it alone, within its range",
    arguments: [
      (.message, 64 << 20), (.nesting, 512), (.values, 1_000_000), (.batch, 1000), (.reply, 64 << 20),
      (.inFlight, 1024), (.inFlightBytes, 256 << 20), (.output, 8 << 20), (.connections, 64), (.unauthenticated, 16),
      (.unauthenticatedSeconds, 10), (.unauthenticatedMessage, 4096),
    ] as [(LimitName, Int)])
  func defaults(_ name: LimitName, _ value: Int) throws {
    #expect(SessionLimits()[name] == value)
    #expect(name.range.contains(value))
    var limits = SessionLimits()
    try limits.set(flag: "\(name.rawValue)=\(name.range.upperBound)")
    #expect(limits[name] == name.range.upperBound)
    #expect(throws: LimitFlagError.outOfRange(name)) { try limits.set(flag: "\(name.rawValue)=0") }
    for other in LimitName.allCases where other != name { #expect(limits[other] == SessionLimits()[other]) }
  }

  @Test("Framing and scanning failures have the error code parseError or limitExceeded")
  func failures() {
    #expect(FramingFailure.header.code == .parseError)
    #expect(FramingFailure.truncated.code == .parseError)
    #expect(FramingFailure.tooLong(LimitExcess(.message, 1)).code == .limitExceeded)
    #expect(ScanFailure.limit(LimitExcess(.batch, 1), id: nil).code == .limitExceeded)
    #expect(ScanFailure.syntax(JSONSyntaxError(reason: .invalidUTF8, offset: 0)).code == .parseError)
  }
}
