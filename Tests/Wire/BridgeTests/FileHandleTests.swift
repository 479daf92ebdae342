import Glibc
import JSON
import Model
import TestSupport
import Testing
import Vault

@testable import Bridge

@Suite(.ownThreads) struct FileHandleTests {
  let host: TestHost

  init() throws {
    host = try TestHost()
    try host.enroll()
  }

  private var path: JSONValue { .string(host.folder.file("document")) }

  private func create() throws -> JSONValue {
    let opened = try host.call("file.create", ["path": path])
    #expect(opened["size"] == 0)
    #expect(opened["isEncrypted"] == true)
    return try #require(opened["handle"])
  }

  @Test("file.read returns what file.write wrote through another handle, and the file on disk is encrypted")
  func document() throws {
    let writer = try create()
    let text = Base64Bytes(Array("for contoso only".utf8))
    #expect(try host.call("file.write", ["handle": writer, "data": text.jsonValue]) == 16)
    #expect(try host.call("file.pwrite", ["handle": writer, "data": "Rg==", "offset": 0]) == 1)
    #expect(try host.call("file.tell", ["handle": writer]) == 16)
    #expect(try host.call("file.datasync", ["handle": writer]) == .null)
    #expect(try host.call("file.sync", ["handle": writer]) == .null)

    let reader = try host.call("file.open", ["path": path, "flags": ["readOnly"]])
    #expect(reader["size"] == 16)
    #expect(reader["isEncrypted"] == true)
    #expect(reader["handle"] != writer)
    let handle = try #require(reader["handle"])
    #expect(try host.call("file.read", ["handle": handle, "count": 3]) == Base64Bytes(Array("For".utf8)).jsonValue)
    #expect(try host.call("file.seek", ["handle": handle, "offset": 14]) == .null)
    #expect(try host.call("file.read", ["handle": handle, "count": 9]) == Base64Bytes(Array("ly".utf8)).jsonValue)
    #expect(
      try host.call("file.pread", ["handle": handle, "count": 7, "offset": 4])
        == Base64Bytes(Array("contoso".utf8)).jsonValue)
    #expect(try host.call("file.isEncrypted", ["handle": handle]) == true)
    #expect(try host.call("file.protectionInfo", ["handle": handle])["identity"] == .string(TestHost.alice))
    #expect(readFile(host.folder.file("document"))?.contains(text.bytes) == false)

    #expect(try host.call("file.truncate", ["handle": writer, "length": 3]) == .null)
    #expect(try host.call("file.size", ["handle": handle]) == 3)
    #expect(try host.call("file.close", ["handle": handle]) == .null)
    expect(try host.error("file.size", ["handle": handle]), 5006, "noFileHandle")
  }

  @Test("A file that is still being opened when its connection ends gets no handle")
  func ended() throws {
    _ = try create()
    let handles = FileHandles()
    let location = try #require(AbsolutePath(host.folder.file("document")))
    func open() throws -> FileHandle { try host.bridge.core.files.open(location, [.readOnly]) }
    _ = try handles.add(open())
    handles.closeAll()
    #expect(throws: MAMError(.cancelled, "")) { try handles.add(open()) }
  }

  @Test(
    "The file methods refuse an unknown handle with noFileHandle and a hint",
    arguments: [
      "file.read", "file.seek", "file.tell", "file.size", "file.sync", "file.close", "file.isEncrypted",
    ])
  func unknown(_ method: String) throws {
    var params: JSONObject = ["handle": 7]
    if method == "file.read" { params["count"] = 1 }
    if method == "file.seek" { params["offset"] = 1 }
    let error = try host.error(method, .object(params))
    expect(error, 5006, "noFileHandle")
    #expect(error["data"]?["hint"]?.stringValue != nil)
  }

  @Test("If the system refuses file.open, the error has its errno, the path and a hint")
  func refused() throws {
    let cases: [(path: String, flags: JSONValue, number: Int32)] = [
      (host.folder.file("missing"), [], ENOENT), (host.folder.path, [], EISDIR),
      (host.folder.file("missing"), ["readOnly", "truncate"], EINVAL),
    ]
    for (path, flags, number) in cases {
      let error = try host.error("file.open", ["path": .string(path), "flags": flags])
      expect(error, 5001, "fileUnavailable")
      #expect(error["data"]?["errno"] == .integer(Int64(number)))
      #expect(error["data"]?["path"] == .string(path))
      #expect(error["data"]?["hint"]?.stringValue != nil)
    }
  }

  @Test("A damaged page is reported with its number and byte range, and the other pages stay readable")
  func damaged() throws {
    let handle = try create()
    let bytes = Base64Bytes([UInt8](repeating: 1, count: 9000))
    _ = try host.call("file.write", ["handle": handle, "data": bytes.jsonValue])
    let descriptor = open(host.folder.file("document"), O_RDWR)
    var byte: UInt8 = 0
    #expect(pread(descriptor, &byte, 1, 2 * 4096 + 50) == 1)
    byte ^= 1
    #expect(pwrite(descriptor, &byte, 1, 2 * 4096 + 50) == 1)
    close(descriptor)
    let error = try host.error("file.pread", ["handle": handle, "count": 9000, "offset": 0])
    expect(error, 5002, "fileDamaged")
    #expect(error["data"]?["page"] == 1)
    #expect(error["data"]?["range"] == [4064, 8128])
    #expect(try host.call("file.pread", ["handle": handle, "count": 1, "offset": 8500]) == "AQ==")
    _ = truncate(host.folder.file("document"), 4096)
    expect(
      try host.error("file.pread", ["handle": handle, "count": 1, "offset": 0]), 5004, "fileTruncated")
  }

  @Test("The file methods refuse a relative path, too many bytes and unknown flags, and name the parameter")
  func parameters() throws {
    let handle = try create()
    for (method, params, place) in [
      ("file.open", ["path": "document"], "/path"), ("file.open", ["path": path, "flags": ["fast"]], "/flags/0"),
      ("file.read", ["handle": handle, "count": 16_777_217], "/count"),
      ("file.pread", ["handle": handle, "count": 1, "offset": -1], "/offset"),
      ("file.create", ["path": path, "mode": 0o10000], "/mode"),
    ] as [(String, JSONValue, JSONValue)] {
      let error = try host.error(method, params)
      #expect(error["code"] == -32602)
      #expect(error["data"]?["path"] == place)
    }
  }

  @Test("Writes through one handle that are sent together happen in order")
  func order() throws {
    let handle = try create()
    let requests = (0..<50).map { number -> JSONValue in
      let data = Base64Bytes(Array("\(number) ".utf8)).jsonValue
      return [
        "jsonrpc": "2.0", "id": .integer(Int64(number)), "method": "file.write",
        "params": ["handle": handle, "data": data],
      ]
    }
    try host.sendAll(requests)
    let text = (0..<50).map { "\($0) " }.joined()
    #expect(
      try host.call("file.pread", ["handle": handle, "count": 1000, "offset": 0])
        == Base64Bytes(Array(text.utf8)).jsonValue)
  }

  private func expect(_ error: JSONValue, _ code: Int64, _ name: String) {
    #expect(error["code"] == .integer(code))
    #expect(error["data"]?["name"] == .string(name))
  }
}
