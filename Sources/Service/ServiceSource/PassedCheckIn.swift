import JSON
import JSONRPC

/// The registration in the params of a request.
struct SourceRegistration: Hashable, Sendable {
  let id: String
  /// In base64.
  let secret: String

  init(_ node: JSONNode?) throws(RPCError) {
    guard let id = node?.member("id")?.string, let secret = node?.member("secret")?.string else {
      throw RPCError(.invalidParams, "registration must have an id and a secret")
    }
    (self.id, self.secret) = (id, secret)
  }

  func encode(to writer: inout JSONWriter, revision: Int64? = nil) {
    writer.beginObject()
    writer.member("id", id)
    writer.member("secret", secret)
    if let revision { writer.member("revision", revision) }
    writer.endObject()
  }
}

/// The params of `source.checkIn`, as the service wants them.
struct SourceCheckIn: Sendable {
  /// The members that the service gets as they came, apart from the device.
  private static let passedOn = ["reason", "registration", "account", "app", "etag", "applied", "health"]

  let registration: SourceRegistration
  let account: JSONValue
  let token: String?
  /// JSON text, without the token.
  let body: [UInt8]

  init(_ params: JSONNode) throws(RPCError) {
    registration = try SourceRegistration(params.member("registration"))
    account = params.member("account")?.value ?? .null
    token = params.member("token")?.string
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("version", 1)
    for name in Self.passedOn {
      if let node = params.member(name) { writer.member(name, node.value) }
    }
    var device = params.member("device")?.value.objectValue ?? [:]
    if device["tag"]?.stringValue == nil { device["tag"] = .string(registration.id) }
    writer.member("device", JSONValue.object(device))
    writer.endObject()
    body = writer.bytes
  }

  /// Whether the token can be sent in a header.
  var hasUsableToken: Bool { token.map { !$0.isEmpty && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } } ?? true }
}
