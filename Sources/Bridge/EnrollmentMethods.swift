import BridgeAPI
import MAM
import Model

/// What changes the accounts stays in order. One queue for all of them: two names may mean one account.
let enrollmentQueue = "enrollment"

extension MethodTable.Declarations {
  mutating func addEnrollment() {
    work(RegisterAndEnrollAccount.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      try await core.enrollment.enrollAndFollowUp(params.account)
    }
    work(LoginAndEnrollAccount.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      try await core.login.loginAndEnroll(params.account, in: params.window)
    }
    work(DeRegisterAndUnenrollAccount.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      try await core.enrollment.deRegisterAndUnenroll(params.account, withWipe: params.withWipe)
    }
    memory(RegisteredAccounts.self) { _, state throws(MAMError) in state.accounts.map(\.account) }
    memory(EnrolledAccount.self) { _, state throws(MAMError) in state.primaryAccount?.account }
    memory(EnrolledAccounts.self) { _, state throws(MAMError) in state.enrolledAccounts.map(\.account) }
  }

  mutating func addAllowedAccounts() {
    memory(GetAllowedAccounts.self) { _, state throws(MAMError) in state.allowedAccounts }
    work(MDMEnrolledAccount.self) { _, core, _ throws(MAMError) in core.mdmEnrolledAccount() }
    work(GetUserStatus.self) { params, core, _ throws(MAMError) in
      try core.refresh()
      return core.userStatus(of: params.account)
    }
  }

  mutating func addTenant() {
    work(GetTenantStatus.self) { params, core, _ throws(MAMError) in try core.tenantStatus(of: params.account) }
    work(CheckInTenant.self, queue: enrollmentQueue) { params, core, _ throws(MAMError) in
      try await core.enrollment.checkInAndFollowUp(params.account)
    }
  }
}
