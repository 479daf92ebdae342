import Model
import Tenancy

extension Core {
  /// What the policy source holds now, and where the registered accounts stand. May block.
  package func tenantStatus(of reference: AccountReference?) throws(MAMError) -> TenantStatus {
    try refresh()
    let tenant = configuration.tenant.read()
    let snapshot = try? tenant.get()
    return TenantStatus(
      source: configuration.tenant.kind, path: configuration.tenant.path, tenantId: snapshot?.tenantId,
      displayName: snapshot?.displayName, error: tenant.failureText, users: snapshot?.users.map(\.status) ?? [],
      accounts: accountStatuses(of: reference, in: snapshot))
  }

  func accountStatuses(of reference: AccountReference?, in tenant: TenantSnapshot?) -> [AccountStatus] {
    let state = state
    let wanted = state.accounts.filter { account in reference.map { account.isNamed($0, state.directory) } ?? true }
    return wanted.map { status(of: $0, in: tenant) } + enrolling(reference)
  }

  private func status(of account: AccountState, in tenant: TenantSnapshot?) -> AccountStatus {
    let policies = tenant.map { considered(account, in: $0) } ?? []
    let due = account.plan.checkInDue(on: state.deviceRecord)
    let explanation = AccountExplanation(account: account, policies: policies, due: due, now: now)
    return AccountStatus(
      accountId: account.account.accountId, identity: account.account.identity, isEnrolled: account.isEnrolled,
      isManaged: account.isManaged, life: life(of: account), enrolledAt: account.enrolledAt,
      signedInAt: state.signIns.time(of: account.account), checkedInAt: account.checkedInAt,
      contactedAt: account.contactedAt, nextCheckInAt: due, lastStatus: account.status, explanation: explanation.text,
      hasTestPolicy: account.hasTestPolicy, policies: account.testPolicy.map { [$0] + policies } ?? policies)
  }

  private func life(of account: AccountState) -> AccountLife {
    let isEnrolling = ongoingEnrollments.all.contains { account.isNamed($0, state.directory) }
    return isEnrolling && !account.isEnrolled ? .enrolling : account.life
  }

  /// Those of this process whose first attempt still runs.
  private func enrolling(_ wanted: AccountReference?) -> [AccountStatus] {
    let state = state
    let new = ongoingEnrollments.all.filter { reference in
      state.account(reference) == nil && (wanted.map { state.directory.areEqual($0, reference) } ?? true)
    }
    return new.map { reference in
      let account = state.directory.account(of: reference)
      let explanation = "The account is enrolling: \(AccountLife.enrolling.text)."
      return AccountStatus(
        accountId: account.accountId, identity: account.identity, isEnrolled: false, isManaged: false,
        life: .enrolling, enrolledAt: nil, signedInAt: state.signIns.time(of: account), checkedInAt: nil,
        contactedAt: nil, nextCheckInAt: nil, lastStatus: nil, explanation: explanation, hasTestPolicy: false,
        policies: [])
    }
  }

  private func considered(_ account: AccountState, in tenant: TenantSnapshot) -> [ConsideredPolicy] {
    guard let user = account.reference.flatMap(tenant.user) else { return [] }
    let targeting = tenant.targeting(
      of: user, app: configuration.stateFolder.appId, platform: state.device.platform,
      managementLevel: tenant.managementLevel)
    return targeting.considered.map { considered in
      let isReplaced = account.hasTestPolicy && targeting.policies.contains { $0.id == considered.policyID }
      let reason = isReplaced ? .replacedByTest : considered.reason
      return ConsideredPolicy(
        id: considered.policyID, displayName: tenant.displayName(ofPolicy: considered.policyID),
        applied: reason == .applies, reason: reason.rawValue, text: reason.text)
    }
  }
}

extension AccountState {
  /// That which replaces the source's.
  fileprivate var testPolicy: ConsideredPolicy? {
    guard hasTestPolicy, let source = policy?.effective.sources.first else { return nil }
    return ConsideredPolicy(
      id: source.id, displayName: source.displayName, applied: true, reason: "testPolicy", text: "is a test policy")
  }
}

extension TenantLocation {
  var kind: PolicySourceKind {
    switch self {
    case .none: .none
    case .sample: .sample
    case .folder: .folder
    }
  }

  var path: String? {
    if case .folder(let path) = self { path } else { nil }
  }
}

extension Result where Failure == TenantError {
  var failureText: String? {
    if case .failure(let error) = self { error.description } else { nil }
  }
}

extension TenantSnapshot {
  /// Of a protection policy or a configuration.
  fileprivate func displayName(ofPolicy id: String) -> String? {
    policies.first { $0.id == id }?.displayName ?? configurations.first { $0.id == id }?.displayName
  }
}

extension TenantUser {
  fileprivate var status: TenantStatus.User {
    TenantStatus.User(
      accountId: id, identity: userPrincipalName, displayName: displayName, licensed: isLicensed,
      accountEnabled: isEnabled, groups: groups)
  }
}
