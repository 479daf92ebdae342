import JSON
import JSONRPC
import MAM
import Model

enum Discover: ImmediateMethod {
  static let name = "rpc.discover"
  static let summary = "The OpenRPC document of this server."
  typealias Params = NoParameters
  typealias Result = JSONObject
  static let resultSummary = "The document, the same as `mambridge schema` prints."
  static let example = Example<Params, Result>(["openrpc": "1.4.0"])

  static func answer(_ params: Params, on connection: BridgeConnection) -> JSONObject {
    OpenRPC.document(serverVersion: connection.bridge.version)
  }
}

enum Authenticate: ImmediateMethod {
  static let name = "authenticate"
  static let summary = "Opens a TCP connection for requests: the first request on it, alone and with an id."
  static let details = """
    The token stands in the file that the server's line on stderr names. Anything else before it is -32001 and a \
    failure; three failures close the connection. Where no token is needed, it is answered and changes nothing.
    """
  struct Params: Record {
    var token: SecretString
    static let fields = Fields(Self.init, Field("token", \.token, "64 hex digits."))
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
  static let summary = "Ends the server, as the end of its input does."
  static let details = """
    Answered first. What the host sends behind it on the same connection is not looked at; what is in flight is \
    finished, and after 30 s answered with -32002. A server that listens ends for all its connections, as by SIGTERM.
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
  static let summary = "The level of the Intune App SDK that is implemented."
  static let details = "What SDK version rules of a policy compare; the server's own version is another."
  typealias Params = NoParameters
  typealias Result = String
  static let resultSummary = "Three numbers with dots."
  static let example = Example(Device.implementedSDKVersion)
  static let sdkMembers = ["IntuneMAMVersionInfo +sdkVersion"]

  static func answer(_ params: Params, on connection: BridgeConnection) -> String { Device.implementedSDKVersion }
}
