/// Meaning 3 and 5: what a check-in of one account finds, and what becomes of it.
extension ModelApp {
  private static let forgottenAfter: Int64 = 90 * 86_400_000

  mutating func checkIn(_ name: String, by process: Int) -> Outcome {
    guard let index = accounts.firstIndex(where: { $0.name == name }) else { return Outcome(name: name, code: 0) }
    let before = accounts[index]
    let wipe = isAnswered(before) ? wipeOrder(for: before) : nil
    let refusal = wipe.map { $0 == .once ? 102 : 226 } ?? refusal(of: before, checkedInBy: process)
    let isForgotten = before.isEnrolled && now - before.contactedAt >= Self.forgottenAfter
    let number = (accounts.compactMap(\.enrollment).max() ?? 0) + 1
    if refusal == nil { accounts[index].receive(tenant, as: number, isForgotten: isForgotten) }
    let isNew = accounts[index].enrollment != before.enrollment
    let code = refusal ?? accounts[index].code(after: before, isNew: isNew)
    accounts[index].end(with: code, at: now, isListed: tenant.users[name]?.isListed == true)
    if wipe == .once || before.isEnrolled { accounts[index].wipe = wipe }
    tell(isNew || !before.isEnrolled ? ModelEvent.enrollment : ModelEvent.checkIn, name, code)
    if refusal == nil { tellChanges(of: accounts[index], since: before) }
    return Outcome(name: name, code: code)
  }

  /// Who is being wiped takes no place.
  private func mayEnroll(by process: Int) -> Bool {
    allowsMany[process] || !accounts.contains { $0.isEnrolled && $0.wipe == nil }
  }

  /// Whether the source can be read, and lists the user.
  private func isAnswered(_ account: ModelAccount) -> Bool {
    hasNetwork && tenant.source != .missing && tenant.users[account.name]?.isListed == true
  }

  /// The first reason that holds; nil when the source delivers, be it nothing.
  private func refusal(of account: ModelAccount, checkedInBy process: Int) -> Int64? {
    guard hasNetwork else { return account.isEnrolled ? 212 : 205 }
    guard tenant.source != .missing else { return 204 }
    guard let user = tenant.users[account.name], user.isListed, user.isEnabled else { return 203 }
    if let mdm = tenant.mdm, mdm != account.name, !allowsMany[process] { return 210 }
    guard user.isLicensed else { return 200 }
    guard tenant.source != .damaged else { return 206 }
    return account.isEnrolled || mayEnroll(by: process) ? nil : 227
  }

  private mutating func tellChanges(of account: ModelAccount, since before: ModelAccount) {
    if account.policy != before.policy { tell("policyManager.policyDidChange", account.name) }
    if let new = account.policy, let old = before.policy, new.encrypts != old.encrypts {
      tell("dataProtectionManager.didChange", account.name)
    }
    if account.policy == nil, before.policy != nil { tell("policyManager.managementRemoved", account.name) }
    if account.configuration != before.configuration { tell("appConfig.didChange", account.name) }
  }
}

extension ModelAccount {
  fileprivate mutating func receive(_ tenant: ModelTenant, as number: Int, isForgotten: Bool) {
    let (policy, configuration) = (tenant.policy(of: name), tenant.configuration(of: name))
    let isEmpty = policy == nil && configuration.isEmpty
    if !isEmpty, !isEnrolled || isForgotten { enrollment = number }
    guard isEnrolled else { return }
    self.policy = policy
    self.configuration = configuration
    isOfDeviceManagement = tenant.mdm == name
  }

  fileprivate func code(after before: ModelAccount, isNew: Bool) -> Int64 {
    guard isEnrolled else { return 225 }
    guard isManaged else { return 103 }
    return isNew || policy != before.policy ? 100 : 101
  }
}
