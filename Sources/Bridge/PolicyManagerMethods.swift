import BridgeAPI
import MAM
import Model

extension MethodTable {
  mutating func addPolicyManager() {
    memory(IsManagementEnabled.self) { _, core, _ throws(MAMError) in core.state.isManagementEnabled }
    memory(IsIdentityManaged.self) { params, core, _ throws(MAMError) in
      params.account.flatMap(core.state.account)?.isManaged ?? false
    }
    memory(IsIdentityEqual.self) { params, core, _ throws(MAMError) in
      core.state.directory.areEqual(params.first, params.second)
    }
    memory(PrimaryUser.self) { _, core, _ throws(MAMError) in core.state.primaryAccount?.account }
    memory(ManagedAccounts.self) { _, core, _ throws(MAMError) in core.state.managedAccounts.map(\.account) }
    memory(MAMPolicySource.self) { _, core, _ throws(MAMError) in core.state.policySource }
    memory(GetPolicy.self) { params, core, _ throws(MAMError) in try core.state.report(about: params.account) }
  }
}
