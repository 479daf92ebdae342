import JSON
import JSONRPC
import Support

/// Answers every name with its params, or with what a method of the API has read of them; half of the names answer from
/// another thread. The methods of `Lively` wait and ask.
final class FuzzHandler: MethodHandler {
  private let admission: Admission?
  private let peer = Lock<(any Peer)?>(nil)

  private let readsParams: Bool

  init(admission: Admission?, readsParams: Bool) {
    self.admission = admission
    self.readsParams = readsParams
  }

  func connectionDidBegin(_ peer: any Peer) { self.peer.withLock { $0 = peer } }
  func connectionDidEnd() { peer.withLock { $0 = nil } }

  func call(_ name: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    if let admission {
      try admission.present(params?.member("token")?.string ?? "")
    }
    if let lively = Lively(rawValue: name) { return lively.work(peer.withLock { $0 }) }
    let result = try answer(name, params)
    guard Self.isWork(name) else {
      writer.raw(result)
      return nil
    }
    return Work(queue: name) { result }
  }

  /// As work, `shutdown` does not end the connection, so that all its requests are answered.
  private static func isWork(_ name: String) -> Bool { name == Session.farewell || !name.utf8.count.isMultiple(of: 2) }

  private func answer(_ name: String, _ params: JSONNode?) throws(RPCError) -> [UInt8] {
    if readsParams, let text = try MethodParams.read(name, params) { return text }
    return text(of: params?.value ?? .null)
  }

  /// What is written reads back as the same value.
  private func text(of value: JSONValue) -> [UInt8] {
    var text = JSONWriter()
    value.encode(to: &text)
    check((try? JSONValue(parsing: text.bytes)) == value, "\(value) is written as \(text.text)")
    return text.bytes
  }
}
