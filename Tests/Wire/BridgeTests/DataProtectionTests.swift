import JSON
import Model
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite(.ownThreads) struct DataProtectionTests {
  private static let alice: JSONValue = "alice@contoso.example"
  private static let hello = Base64Bytes(Array("hello".utf8)).jsonValue

  private func enrolledHost() throws -> TestHost {
    let host = try TestHost()
    try host.enroll()
    return host
  }

  @Test("dataProtectionManager encrypts and decrypts a managed account's bytes and reports their owner")
  func bytes() throws {
    let host = try enrolledHost()
    let protected = try host.call("dataProtectionManager.protect", ["data": Self.hello, "account": Self.alice])
    #expect(protected.stringValue?.count ?? 0 > 40)
    let owner = try host.call("dataProtectionManager.protectionInfo", ["data": protected])
    #expect(owner["identity"] == Self.alice)
    #expect(owner["accountId"] == "87d349ed-44d7-43e1-9a83-5f2406dee5bd")
    #expect(try host.call("dataProtectionManager.unprotect", ["data": protected]) == Self.hello)
  }

  @Test(
    "Up to 64 KiB of data is protected on the reading thread once its keys are in memory", arguments: [1, 64 << 10])
  func atOnce(_ count: Int) throws {
    let host = try enrolledHost()
    let data = Base64Bytes(Array(repeating: 7, count: count)).jsonValue
    let calls: [(String, JSONValue)] = [
      ("dataProtectionManager.protect", ["data": data, "account": Self.alice]),
      ("dataProtectionManager.protectString", ["string": "hello", "account": Self.alice]),
      ("enforcement.copy", ["data": data, "account": Self.alice]),
    ]
    for (method, params) in calls {
      // A key that is made or read is a change of memory, which the next call reads.
      for _ in 0..<2 { _ = try host.send(method, params) }
      let sent = try host.send(method, params)
      #expect(sent.isAtOnce, "\(method)")
      #expect(sent.reply["result"] != nil, "\(method)")
    }
    let half = Base64Bytes(Array(repeating: 7, count: count / 2 + 1)).jsonValue
    let protected = try host.call("dataProtectionManager.protect", ["data": half, "account": Self.alice])
    #expect(try host.send("dataProtectionManager.unprotect", ["data": protected]).isAtOnce)
    let pasted: JSONValue = ["data": protected, "account": Self.alice]
    #expect(try host.send("enforcement.paste", pasted).reply["result"]?["data"] == half)
    #expect(try host.send("enforcement.paste", pasted).isAtOnce)
  }

  @Test("Data of over 64 KiB, and the first data after a key rotation, is protected on another thread")
  func later() throws {
    let host = try enrolledHost()
    let long = Base64Bytes(Array(repeating: 7, count: (64 << 10) + 1)).jsonValue
    for _ in 0..<2 {
      #expect(try !host.send("dataProtectionManager.protect", ["data": long, "account": Self.alice]).isAtOnce)
    }
    let short: JSONValue = ["data": Self.hello, "account": Self.alice]
    #expect(try host.send("dataProtectionManager.protect", short).isAtOnce)
    _ = try host.bridge.core.protection.rotateKeys(of: AccountReference(TestHost.alice))
    #expect(try !host.send("dataProtectionManager.protect", short).isAtOnce)
    for _ in 0..<2 { _ = try host.send("dataProtectionManager.protect", short) }
    #expect(try host.send("dataProtectionManager.protect", short).isAtOnce)
  }

  @Test("unprotect of empty or damaged data fails on the reading thread with the usual errors")
  func refusedAtOnce() throws {
    let host = try enrolledHost()
    let short: JSONValue = ["data": Self.hello, "account": Self.alice]
    for _ in 0..<2 { _ = try host.call("dataProtectionManager.protect", short) }
    let buffer = try host.call("dataProtectionManager.protect", short)
    var bytes = try #require(Base64Bytes(text: buffer.stringValue ?? "")).bytes
    bytes[bytes.count - 1] ^= 1
    let damaged = Base64Bytes(bytes).jsonValue
    for (params, name) in [(["data": ""], "emptyData"), (["data": damaged], "failedToDecryptData")]
      as [(JSONValue, String)]
    {
      let sent = try host.send("dataProtectionManager.unprotect", params)
      #expect(sent.isAtOnce)
      #expect(sent.reply["error"]?["data"]?["name"] == .string(name))
    }
  }

  @Test("unprotectString returns the text that protectString encrypted")
  func text() throws {
    let host = try enrolledHost()
    let text: JSONValue = "grüße \u{1F600}\n"
    let protected = try host.call("dataProtectionManager.protectString", ["string": text, "account": Self.alice])
    #expect(protected != text)
    #expect(try host.call("dataProtectionManager.protectionInfoForString", [protected])["identity"] == Self.alice)
    #expect(try host.call("dataProtectionManager.unprotectString", [protected]) == text)
  }

  @Test("protectString returns base64 that unprotect also reads", arguments: [Self.alice, "bob@contoso.example"])
  func textOfBuffer(owner: JSONValue) throws {
    let host = try enrolledHost()
    let protected = try host.call("dataProtectionManager.protectString", ["string": "hello", "account": owner])
    #expect(try host.call("dataProtectionManager.protectionInfo", [protected])["identity"] == owner)
    #expect(try host.call("dataProtectionManager.unprotect", [protected]) == Self.hello)
  }

  @Test(
    "unprotectString returns a text unchanged if it is not base64 of a protected buffer",
    arguments: [
      "hello", "aGVsbG8=", "iU1BTUJVRg0", "iU1BTUJVRg0K=", "iU1BTUJVRg0K====", "iU1BTUJVRg0K!", "iU1BTUJVRg0K世界",
      " iU1BTUJVRg0K",
    ] as [JSONValue])
  func foreignText(text: JSONValue) throws {
    let host = try enrolledHost()
    #expect(try host.call("dataProtectionManager.unprotectString", [text]) == text)
    #expect(try host.call("dataProtectionManager.protectionInfoForString", [text]) == .null)
  }

  @Test("Base64 with MIME line breaks is read like base64 on a single line", arguments: ["\n", "\r\n"])
  func lines(_ lineBreak: String) throws {
    let host = try enrolledHost()
    let clear = Base64Bytes(Array(String(repeating: "hello ", count: 50).utf8))
    let protected = try host.call(
      "dataProtectionManager.protect", ["data": broken(clear.jsonValue, lineBreak), "account": Self.alice])
    #expect(try host.call("dataProtectionManager.unprotect", [broken(protected, lineBreak)]) == clear.jsonValue)
    #expect(
      try host.call("dataProtectionManager.unprotectString", [broken(protected, lineBreak)])
        == .string(String(decoding: clear.bytes, as: UTF8.self)))
    #expect(
      try host.call("dataProtectionManager.protectionInfoForString", [broken(protected, lineBreak)])["identity"]
        == Self.alice)
  }

  /// In lines of 76 characters, with a line break at the end.
  private func broken(_ base64: JSONValue, _ lineBreak: String) -> JSONValue {
    let text = Array(base64.stringValue ?? "")
    let lines = stride(from: 0, to: text.count, by: 76).map { String(text[$0..<min($0 + 76, text.count)]) + lineBreak }
    return .string(lines.joined())
  }

  @Test("unprotectString and enforcement.paste fail with failedToDecryptData if the bytes are not UTF-8")
  func noText() throws {
    let host = try enrolledHost()
    let bytes = Base64Bytes([0xFF, 0xFE]).jsonValue
    let protected = try host.call("dataProtectionManager.protect", ["data": bytes, "account": Self.alice])
    expect(try host.error("dataProtectionManager.unprotectString", [protected]), 1103, "failedToDecryptData")
    let paste: JSONValue = ["text": protected, "account": Self.alice]
    expect(try host.error("enforcement.paste", paste), 1103, "failedToDecryptData")
  }

  @Test("Protected text of an unmanaged account names its owner and can be read")
  func unmanaged() throws {
    let host = try enrolledHost()
    for account in ["bob@contoso.example", ""] as [JSONValue] {
      let protected = try host.call("dataProtectionManager.protectString", ["string": "note", "account": account])
      #expect(try host.call("dataProtectionManager.protectionInfoForString", [protected])["identity"] == account)
      #expect(try host.call("dataProtectionManager.unprotectString", [protected]) == "note")
    }
  }

  @Test("Without a managed account, unprotected data has no owner and unprotect returns it unchanged")
  func clear() throws {
    let host = try TestHost()
    #expect(try host.call("dataProtectionManager.protectionInfo", [Self.hello]) == .null)
    #expect(try host.call("dataProtectionManager.protectionInfo", [.null]) == .null)
    #expect(try host.call("dataProtectionManager.protectionInfoForString", ["plain"]) == .null)
    #expect(try host.call("dataProtectionManager.unprotect", [Self.hello]) == Self.hello)
    #expect(try host.call("dataProtectionManager.unprotectString", ["plain"]) == "plain")
  }

  @Test(
    "Errors of dataProtectionManager have the SDK's code and domain",
    arguments: [
      ("dataProtectionManager.protect", [.null, "alice@contoso.example"], 1101, "invalidArguments"),
      ("dataProtectionManager.protect", ["aGVsbG8=", .null], 1101, "invalidArguments"),
      ("dataProtectionManager.protect", ["", "alice@contoso.example"], 1105, "emptyData"),
      ("dataProtectionManager.protectString", [.null, "alice@contoso.example"], 1101, "invalidArguments"),
      ("dataProtectionManager.protectString", ["", "alice@contoso.example"], 1105, "emptyData"),
      ("dataProtectionManager.unprotect", [.null], 1101, "invalidArguments"),
      ("dataProtectionManager.unprotect", [""], 1105, "emptyData"),
      ("dataProtectionManager.unprotectString", [.null], 1101, "invalidArguments"),
      ("dataProtectionManager.unprotectString", [""], 1105, "emptyData"),
      ("dataProtectionManager.unprotectString", ["iU1BTUJVRg0K"], 1103, "failedToDecryptData"),
      ("dataProtectionManager.unprotectString", ["iU1BTUJVRg0KAQEB"], 1103, "failedToDecryptData"),
      ("dataProtectionManager.protectionInfo", [""], 1105, "emptyData"),
      ("dataProtectionManager.protectionInfoForString", [""], 1105, "emptyData"),
    ] as [(String, JSONValue, Int64, String)])
  func errors(_ method: String, _ params: JSONValue, _ code: Int64, _ name: String) throws {
    expect(try enrolledHost().error(method, params), code, name)
  }

  @Test("Without a managed account, protectString and unprotectString fail with applicationNotManaged")
  func notManaged() throws {
    let host = try TestHost()
    let params: JSONValue = ["string": "text", "account": Self.alice]
    let error = try host.error("dataProtectionManager.protectString", params)
    expect(error, 1100, "applicationNotManaged")
    #expect(error["data"]?["hint"]?.stringValue != nil)

    try host.enroll()
    let protected = try host.call("dataProtectionManager.protectString", params)
    _ = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": Self.alice])
    expect(try host.error("dataProtectionManager.unprotectString", [protected]), 1100, "applicationNotManaged")
  }

  @Test("unprotect fails with failedToDecryptData if the data is damaged")
  func damaged() throws {
    let host = try enrolledHost()
    let protected = try host.call("dataProtectionManager.protect", ["data": Self.hello, "account": Self.alice])
    var bytes = try #require(Base64Bytes(text: protected.stringValue ?? ""))
    bytes.bytes[bytes.bytes.count - 1] ^= 1
    let error = try host.error("dataProtectionManager.unprotect", ["data": bytes.jsonValue])
    expect(error, 1103, "failedToDecryptData")
  }

  @Test("Truncated protected data fails with failedToDecryptData in unprotect and protectionInfo")
  func cut() throws {
    let host = try enrolledHost()
    let protected = try host.call("dataProtectionManager.protect", ["data": Self.hello, "account": Self.alice])
    let bytes = try #require(Base64Bytes(text: protected.stringValue ?? "")).bytes
    let params: JSONValue = ["data": Base64Bytes(Array(bytes.prefix(30))).jsonValue]
    expect(try host.error("dataProtectionManager.unprotect", params), 1103, "failedToDecryptData")
    expect(try host.error("dataProtectionManager.protectionInfo", params), 1103, "failedToDecryptData")
  }

  @Test("unprotectString cannot decrypt text that was protected before its account was wiped")
  func wiped() throws {
    let host = try enrolledHost()
    let protected = try host.call("dataProtectionManager.protectString", ["string": "text", "account": Self.alice])
    _ = try host.call(
      "enrollmentManager.deRegisterAndUnenrollAccount", ["account": Self.alice, "withWipe": true])
    try host.enroll()
    expect(try host.error("dataProtectionManager.unprotectString", [protected]), 1103, "failedToDecryptData")
  }

  @Test("protect refuses data that is not base64, and names its path", arguments: ["@@@", "aGVsbG8", "aGVsbG8=="])
  func notBase64(_ text: String) throws {
    let error = try enrolledHost().error(
      "dataProtectionManager.protect", ["data": .string(text), "account": Self.alice])
    #expect(error["code"] == -32602)
    #expect(error["data"]?["path"] == "/data")
  }

  private func expect(_ error: JSONValue, _ code: Int64, _ name: String) {
    #expect(error["code"] == .integer(code))
    #expect(error["data"]?["name"] == .string(name))
    #expect(error["data"]?["sdkCode"] == .integer(code - 1000))
    #expect(error["data"]?["domain"]?.stringValue?.isEmpty == false)
    #expect(error["data"]?["retryable"] == false)
  }
}
