import JSON
import JSONRPC
import MAM
import Model

enum Discover: ImmediateMethod {
  static let name = "rpc.discover"
  static let summary = "Return the OpenRPC document of this server."
  typealias Params = NoParameters
  typealias Result = JSONObject
  static let details = "Outside of a sandbox, it lacks the methods that are marked x-sandbox in `mambridge schema`."
  static let resultSummary = "The document: `mambridge schema` prints it for a sandbox."
  static let example = Example<Params, Result>(["openrpc": "1.4.0"])

  static func answer(_ params: Params, on connection: BridgeConnection) -> JSONObject {
    OpenRPC.document(
      serverVersion: connection.bridge.version, for: connection.bridge.sandbox == nil ? .server : .sandbox)
  }
}

enum Authenticate: ImmediateMethod {
  static let name = "authenticate"
  static let summary = "Authenticate a TCP connection. Must be the first request on it, sent alone and with an id."
  static let details = """
    The token is in the file that the server names on stderr. Any other message before it is error -32001 and counts \
    as a failure; three failures close the connection. If no token is needed, the call succeeds and changes nothing.
    """
  struct Params: Record {
    var token: SecretString
    static let fields = Fields(Self.init, Field("token", \.token, "The token, 64 hex digits."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.notAuthenticated]
  static let example = Example(
    Params(token: "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"), Nothing())

  static func answer(_ params: Params, on connection: BridgeConnection) throws(RPCError) -> Nothing {
    try params.token.withBytes { token throws(RPCError) in try connection.admission?.present(token) }
    return Nothing()
  }
}

enum Shutdown: ImmediateMethod {
  static let name = "shutdown"
  static let summary = "End the server, as the end of its input does."
  static let details = """
    The call is answered first. Anything that the host sends on the same connection after it is ignored. Requests in \
    flight are finished; after 30 s, those that are left end with -32002. A server that listens ends for all its \
    connections, as after SIGTERM.
    """
  typealias Params = NoParameters
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Nothing())

  static func answer(_ params: Params, on connection: BridgeConnection) -> Nothing {
    connection.bridge.shutDown()
    return Nothing()
  }
}

enum SDKVersion: ImmediateMethod {
  static let name = "versionInfo.sdkVersion"
  static let summary = "Return the level of the Intune App SDK that the server implements."
  static let details = """
    A policy's rules about the SDK version compare this level, unless device.set changed it. initialize returns the \
    version of the server itself.
    """
  typealias Params = NoParameters
  typealias Result = String
  static let resultSummary = "Three numbers separated by dots."
  static let example = Example(Device.implementedSDKVersion)
  static let sdkMembers = ["IntuneMAMVersionInfo +sdkVersion"]

  static func answer(_ params: Params, on connection: BridgeConnection) -> String { Device.implementedSDKVersion }
}
