import Model
import Policy
import Support
import Tenancy

/// A part of the users that a policy source lists, by their places.
package struct UserPage: Sendable {
  private let after: Int
  private let limit: Int

  package init(after: Int = 0, limit: Int = 1000) {
    self.after = after
    self.limit = limit
  }

  func range(of count: Int) -> Range<Int> {
    let start = min(after, count)
    return start..<start + min(limit, count - start)
  }

  /// The first place of the next page; `nil` if there is none.
  func next(of count: Int) -> Int? {
    let end = range(of: count).upperBound
    return end < count ? end : nil
  }
}

/// The policy source of an app, and the state of the accounts according to it.
package struct TenantSource: Sendable {
  let live: LiveState
  let ongoing: OngoingEnrollments

  /// Who answers check-ins.
  var provider: any CheckInSource {
    let configuration = live.configuration
    return configuration.source ?? LocalSource(location: configuration.tenant)
  }

  var capabilities: SourceCapabilities { provider.capabilities }

  /// The content of a source that can be read, read again, of which the policies may be unreadable; `nil` for any other
  /// source. May block.
  func read() -> Result<TenantSnapshot, TenantError>? { provider.readTenant() }

  /// The content of a source that can be read, of which the policies may be unreadable; `nil` if there is none. May
  /// block.
  var local: TenantSnapshot? { try? read()?.get() }

  /// What a policy source on this machine contains now, and the state of the registered accounts. May block. The user of
  /// an account is not paged.
  package func status(
    of reference: AccountReference?, _ page: UserPage = UserPage()
  ) throws(MAMError) -> TenantStatus {
    try live.refresh()
    let tenant = read()
    let snapshot = try? tenant?.get()
    let count = snapshot?.users.count ?? 0
    let users =
      if let reference {
        [snapshot?.user(for: reference)?.status].compactMap { $0 }
      } else {
        page.range(of: count).compactMap { snapshot?.users[$0].status }
      }
    return TenantStatus(
      source: capabilities.kind, path: capabilities.path, tenantId: snapshot?.tenantId ?? deliveredTenantId,
      displayName: snapshot?.displayName, error: tenant?.failureText, users: users, userCount: count,
      next: reference == nil ? page.next(of: count) : nil, accounts: accountStatuses(of: reference, in: snapshot))
  }

  /// The tenant that a source has named last which cannot be read; `nil` for any other source.
  private var deliveredTenantId: String? {
    capabilities.canBeRead ? nil : live.state.accounts.lazy.compactMap(\.tenantId).first
  }

  func accountStatuses(of reference: AccountReference?, in tenant: TenantSnapshot?) -> [AccountStatus] {
    let state = live.state
    let tenant = tenant?.policyFault == nil ? tenant : nil
    return state.accounts(named: reference).map { status(of: $0, in: tenant) } + enrolling(reference)
  }

  private func status(of account: AccountState, in tenant: TenantSnapshot?) -> AccountStatus {
    let policies =
      tenant.map { considered(account, in: $0) } ?? (capabilities.canBeRead ? [] : account.deliveredPolicies)
    let due = account.plan.checkInDue(on: live.state.deviceRecord)
    let explanation = AccountExplanation(
      account: account, policies: policies, due: due, now: live.now,
      isConfined: live.state.isConfined && live.state.settings.bool(.multiManagedIdentities))
    return AccountStatus(
      accountId: account.account.accountId, identity: account.account.identity, isEnrolled: account.isEnrolled,
      isManaged: account.isManaged, life: life(of: account), enrolledAt: account.enrolledAt,
      signedInAt: live.state.signIns.time(of: account.account), checkedInAt: account.checkedInAt,
      contactedAt: account.contactedAt, nextCheckInAt: due,
      lastStatus: account.readStatus(on: live.state.device.platform, at: live.sdkLevel),
      explanation: explanation.text,
      hasTestPolicy: account.hasTestPolicy, policies: account.testPolicy.map { [$0] + policies } ?? policies,
      unknownRestrictions: account.policy?.effective.unknownRestrictions ?? [],
      access: account.access(isEnrolling: isEnrolling(account)))
  }

  private func life(of account: AccountState) -> AccountLife {
    isEnrolling(account) && !account.isEnrolled ? .enrolling : account.life
  }

  private func isEnrolling(_ account: AccountState) -> Bool {
    ongoing.all.contains { account.isNamed($0, live.state.directory) }
  }

  /// The accounts whose first attempt to enroll is in progress in this process.
  private func enrolling(_ wanted: AccountReference?) -> [AccountStatus] {
    let state = live.state
    let new = ongoing.all.filter { reference in
      state.account(reference) == nil && (wanted.map { state.directory.areEqual($0, reference) } ?? true)
    }
    return new.map { reference in
      let account = state.directory.account(of: reference)
      let explanation = "The account is enrolling: \(AccountLife.enrolling.text)."
      return AccountStatus(
        accountId: account.accountId, identity: account.identity, isEnrolled: false, isManaged: false,
        life: .enrolling, enrolledAt: nil, signedInAt: state.signIns.time(of: account), checkedInAt: nil,
        contactedAt: nil, nextCheckInAt: nil, lastStatus: nil, explanation: explanation, hasTestPolicy: false,
        policies: [], access: .wait)
    }
  }

  private func considered(_ account: AccountState, in tenant: TenantSnapshot) -> [ConsideredPolicy] {
    guard let user = account.reference.flatMap(tenant.user) else { return [] }
    let isBesideDevice = live.state.allowsSeveralAccounts && !tenant.isDeviceUser(user)
    let targeting = tenant.targeting(
      of: user, app: live.appId, platform: live.state.device.platform,
      managementLevel: isBesideDevice ? .unmanaged : tenant.managementLevel, on: FilterDevice(live.state.device))
    let (applying, names) = (Set(targeting.policies.map(\.id)), PolicyNames(tenant))
    return targeting.considered.map { considered in
      let isReplaced = account.hasTestPolicy && applying.contains(considered.policyID)
      let replaced = TargetingReason.replacedByTest
      let reason = isReplaced ? replaced : considered.reason
      return ConsideredPolicy(
        id: considered.policyID, displayName: names.displayName(of: considered.policyID),
        applied: reason.isApplied, reason: reason.rawValue,
        text: isReplaced
          ? replaced.text
          : reason == .otherApp
            ? names.otherApps(of: considered.policyID, than: live.appId) : considered.text)
    }
  }

  /// The account, with both object id and name if the store or the policy source knows them. May block.
  func fullAccount(of reference: AccountReference) -> Account {
    let known = live.state.directory.account(of: reference)
    guard known.accountId == nil || known.identity == nil else { return known }
    guard live.state.device.networkAvailable, let told = local?.currentUser(for: reference)?.account else {
      return known
    }
    return Account(accountId: known.accountId ?? told.accountId, identity: known.identity ?? told.identity)
  }

  enum TokenCheck: Sendable {
    case signedIn(Account)
    /// The text tells the user why the token is refused.
    case refused(UserText)
  }

  /// Checks whether a token proves that the user has signed in. Any token that is not empty does, because a policy
  /// source made of files has no authority that could check it. `wanted` is the account that must sign in; `nil` for
  /// any account. May block.
  func check(_ token: HostSecret, of user: AccountReference, wanting wanted: AccountReference?) -> TokenCheck {
    guard !token.isEmpty, user.kind != .noUser else { return .refused(UserText(.account(.signInFailed))) }
    let account = fullAccount(of: user)
    if let wanted, !AccountKey(account).isNamed(wanted, live.state.directory) {
      return .refused(UserText(.account(.signInOtherUser)))
    }
    return .signedIn(account)
  }

  /// The status of the user now; `nil` if no user is given or the account is not enrolled.
  package func userStatus(of reference: AccountReference?) -> UserStatus? {
    reference.flatMap(live.state.account)?.clockStatus(at: live.now).map(UserStatus.init)
  }

  /// The user that the device is managed for; `nil` if the device is not managed, or if reading the source fails. A
  /// source that cannot be read says it at check-ins only.
  var managedUser: AccountReference? {
    capabilities.canBeRead ? local?.mdm?.user : live.state.mdmEnrolledAccount?.reference
  }
}

extension AccountState {
  /// What a source outside of this process has delivered: it does not say what it has left out.
  fileprivate var deliveredPolicies: [ConsideredPolicy] {
    guard !hasTestPolicy else { return [] }
    return (policy?.effective.sources ?? []).map { source in
      ConsideredPolicy(
        id: source.id, displayName: source.displayName, applied: true, reason: TargetingReason.applies.rawValue,
        text: source.filterNote.map { "\(TargetingReason.applies.text): \($0)" } ?? TargetingReason.applies.text)
    }
  }

  /// The test policy that replaces the policies of the source; `nil` if there is none.
  fileprivate var testPolicy: ConsideredPolicy? {
    guard hasTestPolicy, let source = policy?.effective.sources.first else { return nil }
    return ConsideredPolicy(
      id: source.id, displayName: source.displayName, applied: true, reason: "testPolicy", text: "is a test policy")
  }
}

extension Result<TenantSnapshot, TenantError> {
  /// Why the tenant cannot be read, or its policies; `nil` if all can.
  var failureText: String? {
    switch self {
    case .failure(let error): error.description
    case .success(let tenant): tenant.policyFault?.description
    }
  }
}

/// The policies and configurations of a tenant, as a status names them.
private struct PolicyNames {
  private struct Document {
    let displayName: String
    let source: String
    let targeting: PolicyTargeting
  }

  private let documents: [String: Document]
  private let assignments: [String: [TenantAssignment]]

  init(_ tenant: TenantSnapshot) {
    let policies = tenant.policies.map {
      ($0.id, Document(displayName: $0.displayName, source: $0.source, targeting: $0.targeting))
    }
    let configurations = tenant.configurations.map {
      ($0.id, Document(displayName: $0.displayName, source: $0.source, targeting: $0.targeting))
    }
    documents = Dictionary(policies + configurations) { first, _ in first }
    assignments = Dictionary(grouping: tenant.assignments, by: \.file)
  }

  func displayName(of id: String) -> String? { documents[id]?.displayName }

  /// Which apps a policy or a configuration is for, and which app this is: a predicate.
  func otherApps(of id: String, than app: String) -> String {
    let found = documents[id]
    let assigned = found.flatMap { assignments[$0.source] }?.flatMap(\.apps) ?? []
    let apps = assigned.isEmpty ? found?.targeting.apps ?? [] : assigned
    let shown = apps.prefix(5) + (apps.count > 5 ? ["\(apps.count - 5) more"] : [])
    let group = assigned.isEmpty ? found?.targeting.appGroupType.map { [$0.rawValue] } ?? [] : []
    let names = (shown.isEmpty ? group : Array(shown)).joined(separator: ", ")
    return names.isEmpty ? TargetingReason.otherApp.text : "is for \(names), and not for this app, \(app)"
  }
}

extension TenantUser {
  fileprivate var status: TenantStatus.User {
    TenantStatus.User(
      accountId: id, identity: userPrincipalName, displayName: displayName, licensed: isLicensed,
      accountEnabled: isEnabled, groups: groups)
  }
}

extension AccountState {
  /// `nil` if the account is not enrolled.
  func clockStatus(at now: Timestamp) -> ClockStatus? {
    guard isEnrolled else { return nil }
    guard policy?.effective.value(of: .appActionIfAccountIsClockedOut) != nil else { return .notConfigured }
    return clock?.status(at: now) ?? .unknown
  }
}
