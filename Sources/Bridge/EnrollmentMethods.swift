import BridgeAPI
import MAM
import Model

extension MethodTable.Declarations {
  mutating func addEnrollment() {
    work(RegisterAndEnrollAccount.self) { params, core, _ throws(MAMError) in
      try core.enrollment.registerAndEnroll(params.account)
    }
    work(DeRegisterAndUnenrollAccount.self) { params, core, _ throws(MAMError) in
      try core.enrollment.deRegisterAndUnenroll(params.account, withWipe: params.withWipe)
    }
    memory(RegisteredAccounts.self) { _, state throws(MAMError) in state.accounts.map(\.account) }
    memory(EnrolledAccount.self) { _, state throws(MAMError) in state.primaryAccount?.account }
    memory(EnrolledAccounts.self) { _, state throws(MAMError) in state.enrolledAccounts.map(\.account) }
  }

  mutating func addTenant() {
    work(GetTenantStatus.self) { params, core, _ throws(MAMError) in try core.tenantStatus(of: params.account) }
    work(CheckInTenant.self) { params, core, _ throws(MAMError) in try core.enrollment.checkIn(params.account) }
  }
}
