import JSON
import JSONRPC
import MAM
import Model

/// Part of the Android SDK: MAMStrictMode.global().enable.
enum EnableStrictMode: ImmediateMethod {
  static let name = "strictMode.enable"
  static let summary = "Switch checks on that find mistakes in how the host uses the SDK."
  static let details = """
    For development, not for released apps. A violation is logged and sent as the event strictMode.violation. Unless \
    the setting StrictMode is report, it also fails the call with strictViolation: before anything is done, except for \
    registerAccountWrongUser, which the attempt itself shows. The checks belong to the server process: all its \
    connections share them, and they end with the process. With a thread, the exemptions that strictMode.disable gave \
    this thread end; nothing else changes.
    """
  typealias Params = StrictModeParams
  typealias Result = [StrictCheck]
  static let resultSummary = "The checks that are on afterwards."
  static let errors: [ErrorCode] = []
  static let example = Example(Params(checks: [.upnIdentityParam]), Result([.upnIdentityParam]))

  static func answer(_ params: Params, on connection: BridgeConnection) -> [StrictCheck] {
    if let thread = params.thread {
      connection.strictExemptions.remove(params.named, from: thread)
    } else {
      connection.core.strictMode.turn(params.named, on: true)
    }
    return connection.core.strictMode.checks
  }
}

/// Part of the Android SDK: MAMStrictMode.global().disable, and disable and disableScoped of MAMStrictMode.thread().
enum DisableStrictMode: ImmediateMethod {
  static let name = "strictMode.disable"
  static let summary = "Switch checks of strict mode off, for all calls or for those of one thread of the host."
  static let details = """
    An exemption of a thread belongs to the connection. To write a scope, call strictMode.enable with the same checks \
    and thread at its end.
    """
  typealias Params = StrictModeParams
  typealias Result = [StrictCheck]
  static let resultSummary = "The checks that are on afterwards, for threads without exemptions."
  static let errors: [ErrorCode] = [.tooManyIdentities]
  static let example = Example(
    Params(checks: [.identityNoSuchFile], thread: "import"), Result([.identityNoSuchFile, .upnIdentityParam]))

  static func answer(_ params: Params, on connection: BridgeConnection) throws(RPCError) -> [StrictCheck] {
    if let thread = params.thread {
      try raising { () throws(MAMError) in try connection.strictExemptions.add(params.named, to: thread) }
    } else {
      connection.core.strictMode.turn(params.named, on: false)
    }
    return connection.core.strictMode.checks
  }
}

/// Some checks of strict mode, or all of them.
struct StrictModeParams: Record {
  var checks: [StrictCheck]?
  var thread: String?
  static let fields = Fields(
    Self.init, Field("checks", \.checks, "The checks; defaults to all."),
    Field("thread", \.thread, "The host's name for the thread or task; null for the whole server process."))

  fileprivate var named: [StrictCheck] { checks ?? StrictCheck.allCases }
}
