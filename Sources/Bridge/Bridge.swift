import BridgeAPI
import JSON
import JSONRPC
import MAM

/// The methods of BridgeAPI over one core; makes the handler of each connection.
package final class Bridge: Sendable {
  let core: Core
  let methods: MethodTable
  let version: String

  package init(core: Core, version: String) {
    self.core = core
    self.version = version
    methods = MethodTable { methods in
      methods.addServer()
      methods.addInitialize()
      methods.addPolicyQuestions()
      methods.addPolicyManager()
      methods.addEnrollment()
      methods.addAppConfig()
      methods.addDataProtection()
      methods.addFileHandles()
      methods.addFileProtection()
      methods.addDiagnostics()
      methods.addTenant()
      methods.addEvents()
    }
  }

  /// `admission` is that of a connection which must authenticate.
  package func connect(admission: Admission? = nil) -> any MethodHandler {
    BridgeConnection(bridge: self, admission: admission)
  }

  /// `lastID` is that of the last entry which the reader has seen; nil for what happens from now on.
  package func events(after lastID: String?) -> EventFeed {
    EventFeed(events: core.events, after: lastID)
  }

  /// The names of all methods that are answered.
  package var methodNames: Set<String> { methods.names }
}
