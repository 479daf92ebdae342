import BridgeAPI
import JSONRPC

extension MethodTable.Declarations {
  mutating func addServer() {
    immediate(SDKVersion.self) { _, _ throws(RPCError) in SDKVersion.implementedVersion }
    immediate(Discover.self) { _, connection throws(RPCError) in
      OpenRPC.document(serverVersion: connection.bridge.version)
    }
    immediate(Authenticate.self) { params, connection throws(RPCError) in
      try params.token.withBytes { token throws(RPCError) in try connection.admission?.present(token) }
      return Authenticate.Result()
    }
    immediate(Shutdown.self) { _, connection throws(RPCError) in
      connection.bridge.shutDown()
      return Shutdown.Result()
    }
  }
}
