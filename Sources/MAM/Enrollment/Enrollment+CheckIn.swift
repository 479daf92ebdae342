import Model
import SQLite

extension Enrollment {
  /// Tries a registered account again, asks for news of an enrolled one; all of them when none is named.
  ///
  /// For an account that is not registered nothing is tried and no event is sent.
  package func checkIn(_ reference: AccountReference?) throws(MAMError) -> [EnrollmentStatus] {
    let services = try core.refresh()
    if let reference, core.state.account(reference) == nil {
      let account = core.state.directory.account(of: reference)
      return [.notRegistered(account, isAnyEnrolled: !core.state.enrolledAccounts.isEmpty)]
    }
    let inquiry = core.inquiry()
    let statuses = try checkIn(reference, inquiry)
    for account in core.state.managedAccounts { services.countApp(for: account) }
    services.log.write(inquiry.warnings)
    for status in statuses { services.log.write("check in", status) }
    return statuses
  }

  private func checkIn(
    _ reference: AccountReference?, _ inquiry: PolicyInquiry
  ) throws(MAMError) -> [EnrollmentStatus] {
    let allowsMany = core.state.settings.bool(.multipleManagedAccounts)
    return try core.commit { transaction throws(SQLiteError) in
      let directory = try transaction.learn(inquiry.directory)
      let accounts = try transaction.accounts()
      var isAnyEnrolled = accounts.contains { $0.enrolledAt != nil }
      var seen: Set<String> = []
      var statuses: [EnrollmentStatus] = []
      for var account in accounts where reference.map({ account.isNamed($0, directory) }) ?? true {
        account.takeNames(from: directory)
        // Registered by id and by name, before the source told that both are one.
        if let accountId = account.account.accountId, !seen.insert(accountId).inserted {
          try transaction.remove(account)
          continue
        }
        let decision = EnrollmentDecision(
          account, answer: inquiry.answer(for: account.reference), mayEnroll: allowsMany || !isAnyEnrolled,
          at: transaction.now)
        try transaction.carryOut(decision, telling: .policyRequestWithStatus(decision.status))
        isAnyEnrolled = isAnyEnrolled || decision.account.enrolledAt != nil
        statuses.append(decision.status)
      }
      return statuses
    }
  }
}
