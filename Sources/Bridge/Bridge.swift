import JSON
import JSONRPC
import MAM
import Support

/// The methods of `API` over one core; makes the handler of each connection.
package final class Bridge: Sendable {
  let core: Core
  let version: String
  let limits: SessionLimits
  let hosts = HostRegistry()
  /// Writes a warning about a host into the diagnostics log; may block.
  let warn: @Sendable (LogMessage) -> Void
  private let onShutdown: @Sendable () -> Void

  /// `questionTimeout` is how long a host may take for an answer. `onShutdown` is called when a host asks for the end of
  /// the server, perhaps more than once, on any thread. `limits` are those of the connections, for hosts to read.
  package init(
    core: Core, version: String, limits: SessionLimits = SessionLimits(),
    questionTimeout: Duration = .seconds(60),
    onShutdown: @escaping @Sendable () -> Void = {}
  ) {
    self.core = core
    self.version = version
    self.limits = limits
    self.onShutdown = onShutdown
    warn = { [weak core] message in
      // Without a log there is nobody to tell.
      guard let log = try? core?.refresh().log else { return }
      log.write(.warning, .server, message)
    }
    core.host = SessionHost(
      registry: hosts, timeout: questionTimeout, warn: warn, trace: { [weak core] in core?.trace(.server, $0) },
      registration: { [weak core] reference in core.map { $0.state.registration(of: reference, appId: $0.appId) } })
  }

  /// `admission` is that of a connection which must authenticate.
  package func connect(admission: Admission? = nil) -> any MethodHandler {
    BridgeConnection(bridge: self, admission: admission)
  }

  func shutDown() { onShutdown() }

  /// To be called before the process ends, when all is answered: a check-in that has begun gets a second to end.
  package func end() {
    core.end()
  }

  /// `lastID` is that of the last entry which the reader has seen; nil for what happens from now on.
  package func events(after lastID: String?) -> EventFeed {
    EventFeed(events: core.events, after: lastID)
  }
}
