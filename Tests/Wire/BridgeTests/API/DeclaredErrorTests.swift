import JSON
import JSONRPC
import Model
import TestSupport
import Testing

@testable import Bridge

@Suite(.ownThreads) struct DeclaredErrorTests {
  /// Lists `challenge`, and fails as its params say: now or as work.
  private enum Failing: Method {
    static let name = "test.fail"
    static let summary = "Fails."
    struct Params: Record {
      var code: Int
      var isWork: Bool
      static let fields = Fields(
        Self.init, Field("code", \.code, "The number."), Field("isWork", \.isWork, "Whether it waits."))
    }
    typealias Result = Nothing
    static let resultSummary = "Null."
    static let errors: [ErrorCode] = [.challenge]
    static let example = Example(Params(code: 0, isWork: false), Nothing())

    static func call(
      _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
    ) throws(RPCError) -> Work? {
      let params = try params(from: node)
      let error = ErrorCode.allCases.first { $0.number == params.code }.map { MAMError($0, "text") }
      guard params.isWork else { throw RPCError(error ?? .cancelled) }
      return work(on: connection) { () throws(MAMError) -> Nothing in throw error ?? .cancelled }
    }
  }

  private func failure(_ code: Int, isWork: Bool) async throws -> RPCError? {
    let host = try TestHost()
    let connection = BridgeConnection(bridge: host.bridge, admission: nil)
    let params: JSONObject = ["code": .integer(Int64(code)), "isWork": .bool(isWork)]
    let document = try JSONDocument(parsing: params.jsonText)
    var writer = JSONWriter()
    do throws(RPCError) {
      _ = try await Failing.checkedCall(document.root, on: connection, into: &writer)?.run()
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "A method can raise its listed errors, state folder errors and errors of any request", arguments: [false, true])
  func declared(isWork: Bool) async throws {
    for code in [ErrorCode.challenge, .diskFull, .stateInUse, .cancelled, .outOfMemory] {
      let error = try await failure(code.number, isWork: isWork)
      #expect(error?.code == code.number)
      #expect(error?.details["undeclared"] == nil)
    }
  }

  @Test("An undeclared error becomes -32603 in a debug build and is unchanged in a release", arguments: [false, true])
  func undeclared(isWork: Bool) async throws {
    for code in [ErrorCode.fileInUse, .policyRequired] {
      let error = try await failure(code.number, isWork: isWork)
      #if DEBUG
        #expect(error?.code == -32603)
        #expect(error?.details["undeclared"] == .string(code.name))
      #else
        #expect(error?.code == code.number)
        #expect(error?.details["undeclared"] == nil)
      #endif
    }
  }
}
