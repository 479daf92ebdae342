import Cryptography
import JSON
import Support
import TestSupport
import Testing

@testable import Bridge

@Suite struct SchemaFileTests {
  @Test("schema/openrpc.json is what the code prints, and OpenRPC.hash is its SHA-256")
  func current() throws {
    let kept = try #require(readFile(Self.folder + "/openrpc.json"), "mend it with: \(Self.command)")
    let version = try JSONValue(parsing: kept)["info"]?["version"]?.stringValue ?? ""
    let isCurrent = kept == Array(OpenRPC.text(serverVersion: version).utf8)
    #expect(isCurrent, "mend it with: \(Self.command)")
    #expect(OpenRPC.hash == Hex.encode(try SHA256.digest(kept)), "mend it with: \(Self.command)")
  }

  @Test("schema/host.openrpc.json is what the code prints")
  func host() throws {
    let kept = try #require(readFile(Self.folder + "/host.openrpc.json"), "mend it with: \(Self.command)")
    let version = try JSONValue(parsing: kept)["info"]?["version"]?.stringValue ?? ""
    let printed = JSONValue.object(OpenRPC.hostDocument(serverVersion: version)).indentedText + "\n"
    #expect(kept == Array(printed.utf8), "mend it with: \(Self.command)")
  }

  @Test("The current schema keeps everything that a released schema has", arguments: releasedFiles)
  func released(_ file: String) throws {
    let released = try JSONValue(parsing: try #require(readFile(file)))
    #expect(ReleasedAPI.losses(from: released, to: .object(RequestCase.document)) == [])
  }

  static let folder = Checkout.path("schema")

  static let command = "scripts/schema"

  static let releasedFiles = filesOf(folder: folder + "/released").filter { $0.hasSuffix(".json") }
}
