import BridgeAPI
import JSON
import JSONRPC
import MAM
import Support

/// One connection's view of the bridge.
final class BridgeConnection: MethodHandler {
  private struct State {
    /// Nil before the connection begins.
    var peer: (any Peer)?
    /// What the host has declared to answer.
    var delegates: Set<HostRequestName> = []
  }

  let bridge: Bridge
  let admission: Admission?
  let subscriptions: EventSubscriptions
  let files = FileHandles()
  private let state = Lock(State())

  init(bridge: Bridge, admission: Admission?) {
    self.bridge = bridge
    self.admission = admission
    subscriptions = EventSubscriptions(bridge.core.events)
  }

  var core: Core { bridge.core }
  var peer: (any Peer)? { state.withLock { $0.peer } }

  func connectionDidBegin(_ peer: any Peer) {
    state.withLock { $0.peer = peer }
  }

  func connectionDidEnd() {
    subscriptions.remove()
    files.closeAll()
  }

  func declare(_ delegates: [HostRequestName]) {
    state.withLock { $0.delegates = Set(delegates) }
  }

  func answers(_ request: HostRequestName) -> Bool {
    state.withLock { $0.delegates.contains(request) }
  }

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
