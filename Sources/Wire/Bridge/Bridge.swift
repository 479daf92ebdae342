import JSON
import JSONRPC
import MAM
import Model
import Support

/// Serves the methods of `API` from one core, and makes the handler of each connection.
package final class Bridge: Sendable {
  let core: Core
  let version: String
  let limits: SessionLimits
  /// How long a search for changes of an answer may take. Other calls wait for the same threads.
  let searchTime: Duration
  /// `nil` outside of a sandbox.
  let sandbox: Sandbox?
  let hosts = HostRegistry()
  /// Writes a warning about a host to the diagnostics log. May block.
  let warn: @Sendable (LogMessage) -> Void
  private let onShutdown: @Sendable () -> Void

  /// `questionTimeout` is how long a host may take to answer a request. `onShutdown` is called when a host asks the
  /// server to end: possibly more than once, and on any thread. `limits` are the limits of a connection, as reported to
  /// hosts.
  package init(
    core: Core, version: String, limits: SessionLimits = SessionLimits(),
    questionTimeout: Duration = .seconds(60), searchTime: Duration = .seconds(1), sandbox: Sandbox? = nil,
    onShutdown: @escaping @Sendable () -> Void = {}
  ) {
    self.core = core
    self.version = version
    self.limits = limits
    self.searchTime = searchTime
    self.sandbox = sandbox
    self.onShutdown = onShutdown
    warn = { [weak core] message in
      // Without a log the warning is lost.
      guard let log = try? core?.refresh().log else { return }
      log.write(.warning, .server, message)
    }
    core.host = SessionHost(
      registry: hosts, script: sandbox?.user, timeout: questionTimeout, warn: warn,
      trace: { [weak core] in core?.trace(.server, $0) },
      screens: { [weak core] in core?.screens },
      registration: { [weak core] reference in core.map { $0.state.registration(of: reference, appId: $0.appId) } },
      inspect: { [weak core] token, account, request in
        guard let core, core.strictMode.isOn(.invalidMAMServiceToken) else { return }
        let isExpired = token.expires.map { $0 <= core.now } ?? false
        guard isExpired || !token.token.hasFormOfToken else { return }
        core.report([StrictViolation(.invalidMAMServiceToken, in: request, about: account)])
      })
  }

  /// Makes the handler of a connection. `admission` is for a connection that must authenticate first.
  package func connect(admission: Admission? = nil) -> any MethodHandler {
    BridgeConnection(bridge: self, admission: admission)
  }

  func shutDown() { onShutdown() }

  /// The document of this server, as text: with the methods of a sandbox only in one.
  package var documentText: String { OpenRPC.text(serverVersion: version, for: sandbox == nil ? .server : .sandbox) }

  /// Call before the process exits, once everything is answered. A running check-in gets one second to finish.
  package func end() {
    core.end()
  }

  /// See `Core.leaveSource`.
  package func leaveSource(within limit: Duration) { core.leaveSource(within: limit) }

  /// The events after the entry with the id `lastID`; if `lastID` is `nil`, only events from now on.
  package func events(after lastID: String?) -> EventFeed {
    EventFeed(events: core.events, after: lastID)
  }

  /// The lines of the diagnostics log of `level` and above, or all of them, after the line with the id `lastID`; if it is
  /// `nil`, only lines that are written after the return. May block.
  package func log(from level: LogLevel?, after lastID: String?) -> LogFeed {
    core.logFeed(from: level, after: lastID)
  }
}
