import Bridge
import JSON
import JSONRPC
import Support

/// Reads the params of every method of the API, and answers with what it has read; every second method answers from
/// another thread. The methods of `Lively` wait and ask; any other name returns its params.
final class FuzzHandler: MethodHandler {
  /// As work, `shutdown` does not end the connection, so that all its requests are answered.
  private static let methods = Dictionary(
    uniqueKeysWithValues: API.methods.enumerated().map { index, method in
      (method.name, (isWork: index % 2 == 1 || method.name == Session.farewell, type: method))
    })

  private let admission: Admission?
  private let peer = Lock<(any Peer)?>(nil)

  init(admission: Admission?) {
    self.admission = admission
  }

  func connectionDidBegin(_ peer: any Peer) { self.peer.withLock { $0 = peer } }
  func connectionDidEnd() { peer.withLock { $0 = nil } }

  func call(_ name: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    if let admission {
      try admission.present(params?.member("token")?.string ?? "")
    }
    if let lively = Lively(rawValue: name) { return lively.work(peer.withLock { $0 }) }
    guard let method = Self.methods[name] else {
      write(params?.value ?? .null, into: &writer)
      return nil
    }
    let result = try read(method.type, params)
    guard method.isWork else {
      writer.raw(result)
      return nil
    }
    return Work(queue: name) { result }
  }

  /// What is written reads back as the same value.
  private func write(_ value: JSONValue, into writer: inout JSONWriter) {
    var text = JSONWriter()
    value.encode(to: &text)
    check((try? JSONValue(parsing: text.bytes)) == value, "\(value) is written as \(text.text)")
    writer.raw(text.bytes)
  }

  private func read<M: Method>(_ method: M.Type, _ node: JSONNode?) throws(RPCError) -> [UInt8] {
    let params: M.Params
    do throws(JSONDecodingError) {
      params = try M.Params.decode(params: node, ignoring: reservedParamName)
    } catch {
      throw RPCError(error)
    }
    let text = encoded(params)
    check(encoded(again(M.Params.self, text)) == text, "\(M.name) reads its own params as others: \(text)")
    return text
  }

  private func again<Params: Record>(_: Params.Type, _ text: [UInt8]) -> Params? {
    guard let document = try? JSONDocument(parsing: text) else { return nil }
    return try? Params.decode(document.root)
  }

  private func encoded(_ params: (some Record)?) -> [UInt8] {
    var writer = JSONWriter()
    params?.encode(to: &writer)
    return writer.bytes
  }
}
