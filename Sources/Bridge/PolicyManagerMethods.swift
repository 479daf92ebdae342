import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addPolicyManager() {
    question(unaddressed: IsManagementEnabled.self) { $0.managementDecision }
    question(always: IsIdentityManaged.self) { params, state in state.isManaged(params.account) }
    memory(IsIdentityEqual.self) { params, state throws(MAMError) in
      state.directory.areEqual(params.first, params.second)
    }
    memory(PrimaryUser.self) { _, state throws(MAMError) in state.primaryAccount?.account }
    memory(ManagedAccounts.self) { _, state throws(MAMError) in state.managedAccounts.map(\.account) }
    memory(MAMPolicySource.self) { _, state throws(MAMError) in state.policySource }
    memory(GetPolicy.self, arrival: { params, connection throws(MAMError) in Asked(params, on: connection).account }) {
      account, state throws(MAMError) in try state.report(about: account)
    }
  }
}
