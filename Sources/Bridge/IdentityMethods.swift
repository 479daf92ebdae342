import BridgeAPI
import JSON
import JSONRPC
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addIdentities() {
    immediate(SetProcessIdentity.self) { params, connection in
      connection.core.processIdentity = params.account
      return Nothing()
    }
    memory(GetProcessIdentity.self, arrival: { _, connection throws(MAMError) in connection.core.processIdentity }) {
      identity, state throws(MAMError) in state.processIdentity(identity)
    }
    addThreadIdentities()
    addWindowIdentities()
    addWebViews()
  }

  private mutating func addThreadIdentities() {
    identity(SetCurrentThreadIdentity.self) { params, identities throws(MAMError) in
      try identities.setThread(params.thread, params.account)
    }
    identity(GetCurrentThreadIdentity.self) { params, identities throws(MAMError) in
      identities.thread(params.thread)
    }
  }

  private mutating func addWindowIdentities() {
    work(SetUIPolicyIdentity.self, queue: { "window \($0.window ?? Identities.main)" }) {
      params, core, connection throws(MAMError) in
      try await core.setUIIdentity(
        params.account, window: params.window, of: connection.identities, in: connection.launchSession)
    }
    identity(GetUIPolicyIdentity.self) { params, identities throws(MAMError) in identities.window(params.window) }
    identity(GetIdentityForCurrentActivity.self) { params, identities throws(MAMError) in
      identities.activity(params.window)
    }
  }

  /// What is set is set when the call comes; only its name may have to wait for the disk.
  private mutating func identity<M: Method>(
    _ method: M.Type, _ body: @escaping @Sendable (M.Params, Identities) throws(MAMError) -> AccountReference?
  ) where M.Result == Account? {
    memory(method, arrival: { params, connection throws(MAMError) in try body(params, connection.identities) }) {
      identity, state throws(MAMError) in identity.map(state.named)
    }
  }

  private mutating func addWebViews() {
    webView(SetWebViewPolicy.self) { params, webViews throws(MAMError) in
      try webViews.setPolicy(params.policy, of: params.webViewer)
    }
    webView(SetWebViewPolicyDelegate.self) { params, webViews throws(MAMError) in
      try webViews.setDelegate(params.enabled, of: params.webViewer)
    }
  }

  private mutating func webView<M: Method>(
    _ method: M.Type, _ body: @escaping @Sendable (M.Params, WebViews) throws(MAMError) -> Void
  ) where M.Result == Nothing {
    immediate(method) { params, connection throws(RPCError) in
      do throws(MAMError) {
        try body(params, connection.webViews)
      } catch {
        throw RPCError(error)
      }
      return Nothing()
    }
  }
}
