import BridgeAPI
import JSON
import JSONRPC
import MAM

/// One connection's view of the bridge.
final class BridgeConnection: MethodHandler {
  let bridge: Bridge
  let admission: Admission?

  init(bridge: Bridge, admission: Admission?) {
    self.bridge = bridge
    self.admission = admission
  }

  var core: Core { bridge.core }

  func call(_ method: String, _ params: JSONNode?, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    guard let entry = bridge.methods[method] else {
      throw RPCError(.methodNotFound, "no method of this name", details: ["hint": .string(Self.hint(for: method))])
    }
    return try entry.call(params, on: self, into: &writer)
  }

  private static func hint(for method: String) -> String {
    let list = "rpc.discover lists all methods"
    return API.nearestName(to: method).map { "Did you mean \($0)? \(list)" } ?? list
  }
}
