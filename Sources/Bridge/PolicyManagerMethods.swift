import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addPolicyManager() {
    memory(IsManagementEnabled.self) { _, state throws(MAMError) in state.isManagementEnabled }
    memory(IsIdentityManaged.self) { params, state throws(MAMError) in
      params.account.flatMap(state.account)?.isManaged ?? false
    }
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
