import JSON
import JSONRPC
import MAM
import Model
import Support

/// One connection to the bridge: its identities, subscriptions, open files and language.
package final class BridgeConnection: MethodHandler {
  /// The connection whose call runs in this task; `nil` if the core acts on its own.
  static var current: BridgeConnection? { CallOrigin.current?.connection as? BridgeConnection }

  let bridge: Bridge
  let admission: Admission?
  let subscriptions: EventSubscriptions
  let files = FileHandles()
  let identities: Identities
  let webViews = WebViews()
  let launchSession = LaunchSession()
  let logPush = LivePush()
  let telemetryPush = LivePush()
  let strictExemptions = StrictExemptions()
  private let screenOwner: ScreenOwner
  private let told = Lock(HostProperties())
  /// `nil` before the connection begins.
  private let begun = Lock<(any Peer)?>(nil)
  private let strayAnswers: StrayAnswers
  private let hasEnded = Lock(false)
  /// The outcome of `initialize`; `nil` before it and after it was followed up.
  private let launched = Lock<AppStart.Outcome?>(nil)

  init(bridge: Bridge, admission: Admission?) {
    self.bridge = bridge
    self.admission = admission
    subscriptions = EventSubscriptions(bridge.core.events)
    identities = bridge.core.makeIdentities()
    screenOwner = bridge.core.screenOwners.begin()
    strayAnswers = StrayAnswers(warn: bridge.warn)
  }

  var core: Core { bridge.core }
  var peer: (any Peer)? { begun.withLock { $0 } }

  /// What the host has said about itself.
  private struct HostProperties {
    var language: Language?
    var sdkLevel: SDKLevel?
  }

  /// The language of the host's user, or of the process if the host named none.
  var language: Language { told.withLock { $0.language } ?? core.language }

  /// Sets the language from a locale; English if there are no texts in that language.
  func speak(_ locale: String) {
    told.withLock { $0.language = Language(locale: locale) ?? .english }
  }

  /// The SDK level that the host named; `nil` if the setting decides.
  var declaredSDKLevel: SDKLevel? { told.withLock { $0.sdkLevel } }

  /// The SDK level of the host, or of the setting if the host named none.
  var sdkLevel: SDKLevel { declaredSDKLevel ?? core.state.sdkLevel }

  func setSDKLevel(_ level: SDKLevel) {
    told.withLock { $0.sdkLevel = level }
  }

  /// Runs `body` so that whatever the core asks meanwhile is asked for this connection, in the language of its user
  /// and at its host's SDK level.
  func onItsBehalf<Result: Sendable>(_ body: @Sendable () async -> Result) async -> Result {
    await CallContext.$current.withValue(.current(by: caller)) { () async -> Result in await body() }
  }

  /// The setting of the SDK level may change while a call runs, so a call binds only what its host said.
  private var caller: CallOrigin {
    CallOrigin(language: language, sdkLevel: declaredSDKLevel, screenOwner: screenOwner, connection: self)
  }

  package func connectionDidBegin(_ peer: any Peer) {
    begun.withLock { $0 = peer }
  }

  func didLaunch(_ outcome: AppStart.Outcome) {
    launched.withLock { $0 = outcome }
  }

  package func didAnswerHandshake() {
    guard let outcome = launched.withLock({ $0.take() }) else { return }
    Task(executorPreference: BlockingExecutor.shared) { [self] in
      await onItsBehalf { [self] in await core.appStart.followUp(outcome) }
    }
  }

  package func connectionDidEnd() {
    hasEnded.withLock { $0 = true }
    core.screenOwners.end(screenOwner)
    files.closeAll()
    letGo()
  }

  /// Ends what a call began if the connection ended during the call.
  func didFinishCall() {
    if hasEnded.withLock({ $0 }) { letGo() }
  }

  private func letGo() {
    subscriptions.remove()
    logPush.stop()
    telemetryPush.stop()
    bridge.hosts.remove(self)
  }

  package func didDrop(_ answer: StrayAnswer) {
    strayAnswers.add(answer)
  }

  func declare(_ delegates: [HostRequestName]) {
    guard let peer, !delegates.isEmpty else { return }
    bridge.hosts.add(self, peer, answering: Set(delegates.map(\.name)))
  }

  package func call(
    _ method: String, _ params: JSONNode?, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    guard let type = API.byName[method] ?? sandboxMethod(named: method) else {
      throw RPCError(.methodNotFound, "no such method")
    }
    CrashTrace.note(call: method)
    if let sandbox = bridge.sandbox { return try sandbox.story.call(type, params, on: self, into: &writer) }
    return try type.strictCall(params, on: self, into: &writer)
  }

  private func sandboxMethod(named name: String) -> (any Method.Type)? {
    bridge.sandbox.flatMap { _ in API.sandboxMethod(named: name) }
  }

  package func hint(forUnknown method: String) -> String? {
    if bridge.sandbox == nil, method.hasPrefix(API.sandboxNamespace) {
      return "The methods sandbox.* exist only in a server that `mambridge sandbox` starts"
    }
    let list = "rpc.discover lists all methods"
    return API.nearestName(to: method, inSandbox: bridge.sandbox != nil).map { "Did you mean \($0)? \(list)" } ?? list
  }

  package func hint(forExceeded limit: LimitName) -> String? {
    switch limit {
    case .message: API.largeMessageHint
    case .reply: "Ask for less at a time. To read large content in parts, use file.open and file.read"
    default: nil
    }
  }
}
