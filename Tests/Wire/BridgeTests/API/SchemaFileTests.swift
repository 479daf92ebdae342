import Cryptography
import JSON
import Support
import TestSupport
import Testing

@testable import Bridge

@Suite struct SchemaFileTests {
  @Test("the schema file is what the code prints, and initialize sends its hash")
  func current() throws {
    let kept = try #require(readFile(Self.folder + "/openrpc.json"), "mend it with: \(Self.command)")
    let version = try JSONValue(parsing: kept)["info"]?["version"]?.stringValue ?? ""
    let isCurrent = kept == Array(OpenRPC.text(serverVersion: version).utf8)
    #expect(isCurrent, "mend it with: \(Self.command)")
    #expect(OpenRPC.hash == Hex.encode(try SHA256.digest(kept)), "mend it with: \(Self.command)")
  }

  @Test("so is that of the requests that a host serves")
  func host() throws {
    let kept = try #require(readFile(Self.folder + "/host.openrpc.json"), "mend it with: \(Self.command)")
    let version = try JSONValue(parsing: kept)["info"]?["version"]?.stringValue ?? ""
    let printed = JSONValue.object(OpenRPC.hostDocument(serverVersion: version)).indentedText + "\n"
    #expect(kept == Array(printed.utf8), "mend it with: \(Self.command)")
  }

  @Test("what was released is still there", arguments: releasedFiles)
  func released(_ file: String) throws {
    let released = try JSONValue(parsing: try #require(readFile(file)))
    #expect(ReleasedAPI.losses(from: released, to: .object(RequestCase.document)) == [])
  }

  static let folder = Checkout.path("schema")

  static let command = "scripts/schema"

  static let releasedFiles = filesOf(folder: folder + "/released").filter { $0.hasSuffix(".json") }
}
