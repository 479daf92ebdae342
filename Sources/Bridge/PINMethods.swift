import BridgeAPI
import JSON
import MAM
import Model

/// What is tried or set in one connection stays in order.
private let pinQueue = "pin"

extension MethodTable.Declarations {
  mutating func addPINs() {
    work(asking: GetPINStatus.self, queue: pinQueue) { asked, core, _ throws(MAMError) in
      try core.pinStatus(of: asked.account)
    }
    work(asking: SetPIN.self, queue: pinQueue) { asked, core, _ throws(MAMError) in
      try core.setPIN(try HostSecret(orThrow: asked.params.pin), of: asked.account)
      return Nothing()
    }
    work(asking: ChangePIN.self, queue: pinQueue) { asked, core, _ throws(MAMError) in
      let (former, new) = (try HostSecret(orThrow: asked.params.pin), try HostSecret(orThrow: asked.params.newPin))
      try await core.changePIN(from: former, to: new, of: asked.account)
      return Nothing()
    }
    work(asking: ResetPIN.self, queue: pinQueue) { asked, core, _ throws(MAMError) in
      try core.resetPIN(of: asked.account, token: try HostSecret(orThrow: asked.params.accessToken))
      return Nothing()
    }
  }
}
