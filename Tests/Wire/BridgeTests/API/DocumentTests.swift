import JSON
import JSONRPC
import Model
import TestSupport
import Testing

@testable import Bridge

@Suite struct DocumentTests {
  @Test("Every method has a unique name, and API.method(named:) finds the method by that name")
  func names() {
    #expect(API.byName.count == API.methods.count)
    #expect(API.allMethods.allSatisfy { method in API.method(named: method.name).map { $0 == method } ?? false })
  }

  @Test("Method names are in camel case and, with three exceptions, have a namespace", arguments: RequestCase.all)
  func spelling(_ method: RequestCase) throws {
    let parts = method.method.name.split(separator: ".", omittingEmptySubsequences: false)
    #expect(parts.count == 2 || ["authenticate", "initialize", "shutdown"].contains(method.method.name))
    for part in parts {
      #expect(part.first?.isLowercase == true)
      #expect(part.allSatisfy { $0.isASCII && $0.isLetter })
    }
  }

  @Test("Required parameters of a method come before its optional parameters", arguments: RequestCase.all)
  func order(_ method: RequestCase) {
    let required = method.params.map(\.isRequired)
    #expect(required == required.sorted { $0 && !$1 })
  }

  @Test("The summaries of requests, params and results are one-line sentences", arguments: RequestCase.bothWays)
  func summaries(_ method: RequestCase) {
    let texts = [method.method.summary, method.method.resultSummary] + method.params.map(\.summary)
    for text in texts {
      #expect(!text.contains("\n"), "\(text)")
      #expect(text.count > 4, "\(text)")
      #expect(text.count < 160, "\(text)")
      #expect(text.hasSuffix(".") || text.hasSuffix("?"), "\(text)")
    }
  }

  @Test("The example of a request fits its schemas in the OpenRPC document", arguments: RequestCase.bothWays)
  func example(_ method: RequestCase) throws {
    let check = SchemaCheck(components: RequestCase.components)
    let description = method.description
    let example = try #require(description["examples"]?.arrayValue?.first)
    for param in example["params"]?.arrayValue ?? [] {
      let declared = description["params"]?.arrayValue?.first { $0["name"] == param["name"] }
      #expect(check.faults(of: param["value"] ?? .null, declared?["schema"] ?? .null) == [])
    }
    #expect(check.faults(of: example["result"]?["value"] ?? .null, description["result"]?["schema"] ?? .null) == [])
  }

  @Test("Errors in the OpenRPC document are components, and only outOfMemory shares its code with another")
  func errors() {
    let entries = ["methods", "x-delegates"].flatMap { RequestCase.document[$0]?.arrayValue ?? [] }
    let listed =
      entries.flatMap { $0["errors"]?.arrayValue ?? [] } + (RequestCase.document["x-errors"]?.arrayValue ?? [])
    let errors = RequestCase.document["components"]?["errors"]?.objectValue?.members ?? []
    #expect(Set(listed) == Set(errors.map { .reference(to: "errors", $0.name) }))
    #expect(errors.allSatisfy { $0.value["data"]?["name"] == .string($0.name) })
    #expect(Set(errors.map { $0.value["message"] }).count == errors.count)
    // The lack of memory is an internal error in JSON-RPC.
    let codes = errors.filter { $0.name != ErrorCode.outOfMemory.name }.map { $0.value["code"] }
    #expect(Set(codes).count == codes.count)
  }

  @Test("Every method lists each of its errors once, and invalidParams among them", arguments: RequestCase.all)
  func methodErrors(_ method: RequestCase) {
    let codes = method.method.allErrors.map(\.number)
    #expect(Set(codes).count == codes.count)
    #expect(codes.contains(RPCErrorCode.invalidParams.rawValue))
  }

  @Test("The OpenRPC document states the limits of a connection and the errors of the transport")
  func transport() {
    let limits = RequestCase.document["x-limits"]
    #expect(limits?["message"]?["value"] == .integer(64 << 20))
    let fixed = ["id", "progressToken", "header"]
    #expect(limits?.objectValue?.names == LimitName.allCases.map(\.rawValue) + fixed)
    let errors = RequestCase.document["x-errors"]?.arrayValue
    #expect(errors == [ErrorCode].transport.map { .reference(to: "errors", $0.name) })
    let ofProtocol = [ErrorCode].transport.filter { $0 != .outOfMemory }
    #expect(ofProtocol.map(\.name) == RPCErrorCode.allCases.map(\.name))
    #expect(ofProtocol.map(\.number) == RPCErrorCode.allCases.map(\.rawValue))
    #expect(ofProtocol.map(\.isRetryable) == RPCErrorCode.allCases.map(\.isRetryable))
    let outOfMemory = RPCError.outOfMemory
    #expect(ErrorCode.outOfMemory.name == outOfMemory.name)
    #expect(ErrorCode.outOfMemory.number == outOfMemory.code)
  }
}
