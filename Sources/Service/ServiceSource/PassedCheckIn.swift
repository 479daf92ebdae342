import JSON
import JSONRPC
import SourceProtocol

/// The params of `source.checkIn`, as the service wants them: what mambridge sends goes on as it came.
struct PassedCheckIn: Sendable {
  private typealias Params = ToSource.CheckIn.Params

  let registration: SourceRegistration
  let account: SourceAccount
  let token: TokenText?
  /// JSON text, without the token.
  let body: [UInt8]

  init(_ params: JSONNode) throws(JSONDecodingError) {
    registration = try Params.registration.decode(in: params)
    account = try Params.account.decode(in: params)
    token = try Params.token.decode(in: params)
    var device = params.member(Params.device.name)?.value.objectValue ?? [:]
    if device[CheckInDevice.tag.name]?.stringValue == nil { device[CheckInDevice.tag.name] = .string(registration.id) }
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("version", 1)
    writer.members(of: params, Params.fields.names, besides: [Params.token.name, Params.device.name])
    writer.member(Params.device.name, device)
    writer.endObject()
    body = writer.bytes
  }
}

/// The report of `source.report`, as the service wants it.
struct PassedReport: Sendable {
  private typealias Params = ToSource.Report.Params

  let registration: SourceRegistration
  let operation: String
  /// JSON text.
  let body: [UInt8]

  init(_ params: JSONNode) throws(JSONDecodingError) {
    registration = try Params.registration.decode(in: params)
    operation = try Params.operation.decode(in: params)
    _ = try Params.outcome.decode(in: params)
    var writer = JSONWriter()
    writer.beginObject()
    writer.members(of: params, Params.fields.names, besides: [Params.registration.name, Params.operation.name])
    writer.endObject()
    body = writer.bytes
  }
}

extension JSONWriter {
  /// Writes the members of an object that have these names, as they came.
  fileprivate mutating func members(of node: JSONNode, _ names: [String], besides others: [String]) {
    for name in names where !others.contains(name) {
      if let member = node.member(name) { self.member(name, member.value) }
    }
  }
}
