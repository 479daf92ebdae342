import Model
import SQLite
import Support

extension Enrollment {
  /// Tries a registered account again, asks for news of an enrolled one; all of them when none is named.
  ///
  /// For an account that is not registered nothing is tried and no event is sent.
  package func checkIn(_ reference: AccountReference?) throws(MAMError) -> [EnrollmentStatus] {
    try core.refresh()
    if let reference, core.state.account(reference) == nil {
      let account = core.state.directory.account(of: reference)
      return [.notRegistered(account, isAnyEnrolled: !core.state.enrolledAccounts.isEmpty)]
    }
    if let account = reference.flatMap(core.state.account), account.isWiping {
      return [.wiping(account.account, account.status)]
    }
    let outcomes = try run { run throws(SQLiteError) in try run.checkIn(reference) }
    return outcomes.map(\.status)
  }

  /// Does what is due through `end`. To be called under the `CheckInLock`.
  func checkInDue(through end: Timestamp, stoppingForWipes: Bool) throws(MAMError) -> [EnrollmentStatus] {
    let outcomes = try run { run throws(SQLiteError) in
      try run.checkInDue(through: end, stoppingForWipes: stoppingForWipes)
    }
    return outcomes.map(\.status)
  }

  private func run(
    _ body: @Sendable (inout CheckInRun) throws(SQLiteError) -> Void
  ) throws(MAMError) -> [CheckInRun.Outcome] {
    let services = try core.refresh()
    let inquiry = core.source.inquiry()
    let allowsMany = core.state.settings.bool(.multipleManagedAccounts)
    let outcomes = try core.commit { transaction throws(SQLiteError) in
      var run = try CheckInRun(transaction, inquiry, allowsMany: allowsMany)
      try body(&run)
      return run.outcomes
    }
    for account in core.state.managedAccounts { services.countApp(for: account) }
    services.log.write(inquiry.warnings)
    core.source.trace("check in", outcomes.map(\.status), inquiry)
    for outcome in outcomes {
      services.log.write(outcome.request, outcome.status, at: outcome.time)
    }
    return outcomes
  }
}
