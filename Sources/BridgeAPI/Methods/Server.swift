import JSON
import Model

package enum SDKVersion: Method {
  package static let name = "versionInfo.sdkVersion"
  package static let summary = "The level of the Intune App SDK that is implemented."
  package static let details = "What SDK version rules of a policy compare; the server's own version is another."
  package typealias Params = NoParameters
  package typealias Result = String
  package static let resultSummary = "Three numbers with dots."
  package static let example = Example(implementedVersion)
  package static let sdkMembers = ["IntuneMAMVersionInfo +sdkVersion"]

  package static let implementedVersion = Device.implementedSDKVersion
}

package enum Shutdown: Method {
  package static let name = "shutdown"
  package static let summary = "Ends the server, as the end of its input does."
  package static let details = """
    Answered first. What the host sends behind it on the same connection is not looked at; what is in flight is \
    finished, and after 30 s answered with -32002. A server that listens ends for all its connections, as by SIGTERM.
    """
  package typealias Params = NoParameters
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let example = Example(Nothing())
}

package enum Discover: Method {
  package static let name = "rpc.discover"
  package static let summary = "The OpenRPC document of this server."
  package typealias Params = NoParameters
  package typealias Result = JSONObject
  package static let resultSummary = "The document, the same as `mambridge schema` prints."
  package static let example = Example<Params, Result>(["openrpc": "1.4.0"])
}

package enum Authenticate: Method {
  package static let name = "authenticate"
  package static let summary = "Opens a TCP connection for requests: the first request on it, alone and with an id."
  package static let details = """
    The token stands in the file that the server's line on stderr names. Anything else before it is -32001 and a \
    failure; three failures close the connection. Where no token is needed, it is answered and changes nothing.
    """
  package struct Params: Record {
    package var token: SecretString
    package static let fields = Fields(Self.init(token:), Field("token", \.token, "64 hex digits."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = [.notAuthenticated]
  package static let example = Example(
    Params(token: "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f"), Nothing())
}
