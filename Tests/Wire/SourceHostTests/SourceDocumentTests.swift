import JSON
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import MAM
@testable import SourceHost

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct SourceDocumentTests {
  private static let path = Checkout.path("schema/source.openrpc.json")

  private func document() throws -> JSONValue { try JSONValue(parsing: try FileContents.read(Self.path)) }

  @Test("schema/source.openrpc.json is what the code prints")
  func current() throws {
    let version = try document()["info"]?["version"]?.stringValue ?? ""
    let printed = JSONValue.object(SourceDocument.document(serverVersion: version)).indentedText + "\n"
    #expect(try FileContents.read(Self.path) == Array(printed.utf8), "mend it with: scripts/schema")
  }

  @Test("Requests to a source program fit the schema in schema/source.openrpc.json")
  func requests() async throws {
    let program = FakeProgram(
      #"read l; echo "$l" >requests; echo '{"jsonrpc":"2.0","id":1,"result":{"name":"t","protocolVersion":1}}';"#
        + [2, 3, 4].map { #"read l; echo "$l" >>requests; echo '{"jsonrpc":"2.0","id":\#($0),"result":null}';"# }
        .joined())
    _ = try await program.checkIn()
    let registration = SourceRegistration(id: "r", secret: try .random(count: 32))
    for operation in ["o", nil] {
      let report = SourceReport(registration: registration, operation: operation, time: Timestamp(milliseconds: 0))
      #expect(await program.source.deliver(report))
    }
    let document = try document()
    let check = SchemaCheck(components: document["components"]?["schemas"]?.objectValue ?? [:])
    let requests = try program.written("requests").split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    #expect(requests.compactMap { $0["method"]?.stringValue } == Self.methods)
    for request in requests {
      let method = document["methods"]?.arrayValue?.first { $0["name"] == request["method"] }
      let params = request["params"]?.objectValue ?? [:]
      for param in method?["params"]?.arrayValue ?? [] {
        let name = param["name"]?.stringValue ?? ""
        guard let value = params[name] else {
          #expect(param["required"] == .bool(false), "\(name) is missing")
          continue
        }
        #expect(check.faults(of: value, param["schema"] ?? .null) == [], "\(name)")
      }
      let known = Set((method?["params"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue })
      #expect(Set(params.names).isSubset(of: known))
    }
    program.source.end()
  }

  private static let methods = ["source.open", "source.checkIn", "source.report", "source.leave"]
}
