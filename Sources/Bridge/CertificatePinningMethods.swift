import BridgeAPI
import JSON
import MAM

extension MethodTable.Declarations {
  mutating func addCertificatePinning() {
    memory(
      IsPinningEnabled.self, arrival: { params, connection throws(MAMError) in Asked(params, on: connection).account }
    ) { account, state throws(MAMError) in !state.certificatePins(of: account).isEmpty }
    work(asking: ValidateChainWithCertificates.self) { asked, core, _ throws(MAMError) in
      try core.validateChain(
        asked.params.certificates?.certificates, hostname: asked.params.hostname, for: asked.account)
      return true
    }
    work(asking: ValidateChainWithChallenge.self) { asked, core, _ throws(MAMError) in
      guard let challenge = asked.params.challenge else { throw .noChallenge }
      try core.validateChain(challenge.certificates?.certificates, hostname: challenge.host, for: asked.account)
      return true
    }
    work(ShowPinningErrorMessage.self) { _, core, _ throws(MAMError) in
      await core.showPinningFailed()
      return Nothing()
    }
  }
}
