import Bridge
import JSON
import JSONRPC

/// The params of every method of the API, read by what the method declares.
enum MethodParams {
  private static let methods = Dictionary(uniqueKeysWithValues: API.methods.map { ($0.name, $0) })

  /// What a method has read, as JSON text; `nil` for a name that is no method.
  static func read(_ name: String, _ node: JSONNode?) throws(RPCError) -> [UInt8]? {
    guard let method = methods[name] else { return nil }
    return try read(method, node)
  }

  private static func read<M: Method>(_ method: M.Type, _ node: JSONNode?) throws(RPCError) -> [UInt8] {
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

  private static func again<Params: Record>(_: Params.Type, _ text: [UInt8]) -> Params? {
    guard let document = try? JSONDocument(parsing: text) else { return nil }
    return try? Params.decode(document.root)
  }

  private static func encoded(_ params: (some Record)?) -> [UInt8] {
    var writer = JSONWriter()
    params?.encode(to: &writer)
    return writer.bytes
  }
}
