import BridgeAPI
import JSON
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addConditionalLaunch() {
    work(asking: EvaluateLaunch.self) { asked, core, connection throws(MAMError) in
      try await core.evaluateLaunch(of: asked.account, window: asked.params.window, in: connection.launchSession)
    }
    // Coming and going are noted as they arrive: what was asked meanwhile may take long.
    work(DidBecomeActive.self, arrival: { params, connection in connection.enterForeground(params) }) {
      arrived, core, connection throws(MAMError) in
      let asked = try arrived.get()
      return try await core.didBecomeActive(
        asked.account, window: asked.params.window, of: connection.identities, in: connection.launchSession)
    }
    work(DidEnterBackground.self, arrival: { params, connection in connection.leaveForeground(params.window) }) {
      left, core, _ throws(MAMError) in
      if let left { try core.didLeaveForeground(left) }
      return Nothing()
    }
  }
}

extension BridgeConnection {
  fileprivate func enterForeground(
    _ params: DidBecomeActive.Params
  ) -> Result<Asked<DidBecomeActive.Params>, MAMError> {
    do throws(MAMError) {
      try launchSession.enter(params.window, at: core.now)
      return .success(Asked(params, on: self))
    } catch {
      return .failure(error)
    }
  }

  fileprivate func leaveForeground(_ window: String?) -> LeftForeground? {
    launchSession.leave(window, at: core.now)
  }
}
