import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addCompliance() {
    work(RemediateCompliance.self) { params, core, _ throws(MAMError) in
      try await core.compliance.remediate(params.account, silent: params.silent)
    }
    immediate(IsRemediationInProgress.self) { params, connection in
      connection.core.compliance.isInProgress(params.account)
    }
  }
}
