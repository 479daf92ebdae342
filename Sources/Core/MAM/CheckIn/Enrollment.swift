import Model
import Policy
import Support

/// Registers, enrolls, checks in and unenrolls accounts, as hosts request it. Calls may block on files.
///
/// Wipes that were marked earlier run first. Then the tokens are asked for, which may let users sign in, then the policy
/// source. Then the request is committed, as `CheckIns` says, and the wipes that it marks run. At the end, the host is
/// asked to restart if necessary.
package struct Enrollment: Sendable {
  let live: LiveState
  let ongoing: OngoingEnrollments
  let checkIns: CheckIns
  let questions: SourceQuestions
  let wipes: Wipes
  let restarts: Restarts

  /// How often the policy source is asked again because another check-in has overtaken its answer.
  private static let mostTries = 10

  package func enrollAndFollowUp(_ reference: AccountReference?) async throws(MAMError) -> EnrollmentStatus {
    guard let reference else { return try checkIns.nilAccount(CoreEvent.enrollmentRequestWithStatus) }
    let statuses = try await followingUp(reference) { () throws(MAMError) in
      if let status = try checkIns.statusWithoutAttempt(reference) { return [status] }
      let tokens = try await questions.tokens.signingIn(await tokens(forNew: reference))
      return try await asking(.account(reference), with: tokens) { inquiry throws(MAMError) in
        [try checkIns.registerAndEnroll(reference, with: inquiry)]
      }
    }
    return statuses[0]
  }

  /// Asks for a token unless `given` holds the tokens of the attempt.
  func attemptAndFollowUp(
    _ reference: AccountReference, with given: TokenGrants? = nil
  ) async throws(MAMError) -> EnrollmentStatus {
    let statuses = try await followingUp(reference) { () throws(MAMError) in
      let tokens = if let given { given } else { await grants(forAttempt: reference) }
      return [try await attempt(reference, with: tokens, announcing: true)]
    }
    return statuses[0]
  }

  /// Asks the policy source about an account now. With `announcing`, tells the host before the account stops being
  /// managed.
  func attempt(
    _ reference: AccountReference, with tokens: TokenGrants = .none, announcing: Bool = false
  ) async throws(MAMError) -> EnrollmentStatus {
    let statuses = try await asking(.account(reference), with: tokens, announcing: announcing) {
      inquiry throws(MAMError) in
      try checkIns.attempt(reference, with: inquiry)
    }
    return statuses[0]
  }

  /// The tokens that are there without the user.
  func grants(forAttempt reference: AccountReference) async -> TokenGrants {
    await live.state.account(reference) == nil
      ? tokens(forNew: reference) : questions.tokens.collect(forCheckIn: reference)
  }

  package func checkInAndFollowUp(_ named: AccountReference?) async throws(MAMError) -> [EnrollmentStatus] {
    let reference = try named.map { named throws(MAMError) in try registered(named) }
    return try await followingUp(reference) { () throws(MAMError) in
      if let statuses = try checkIns.statusesWithoutCheckIn(reference) { return statuses }
      let tokens = try await questions.tokens.signingIn(await questions.tokens.collect(forCheckIn: reference))
      return try await asking(.account(reference), with: tokens, announcing: true) { inquiry throws(MAMError) in
        try checkIns.checkIn(reference, with: inquiry)
      }
    }
  }

  /// The object id of an account that the state does not know by this name if a folder says whose name it is, as after a
  /// change of the name.
  private func registered(_ reference: AccountReference) throws(MAMError) -> AccountReference {
    try live.refresh()
    guard live.state.account(reference) == nil, let accountId = questions.source.fullAccount(of: reference).accountId,
      case let found = AccountReference(accountId), live.state.account(found) != nil
    else { return reference }
    return found
  }

  /// The account counts as enrolling while a token is asked for, which may involve its user.
  private func tokens(forNew reference: AccountReference) async -> TokenGrants {
    ongoing.begin(reference)
    defer { ongoing.end(reference) }
    return await questions.tokens.collect(for: [reference])
  }

  /// Asks the policy source without a lock, and then commits. If another check-in has overtaken the answer, which
  /// `commit` reports with `nil`, the source is asked again.
  private func asking(
    _ scope: TenantSource.Scope, with tokens: TokenGrants, announcing: Bool = false,
    _ commit: (PolicyInquiry) throws(MAMError) -> [EnrollmentStatus]?
  ) async throws(MAMError) -> [EnrollmentStatus] {
    let new = scope.unregistered(in: live.state)
    if let new { ongoing.begin(new) }
    defer { if let new { ongoing.end(new) } }
    for _ in 1...Self.mostTries {
      let inquiry = try await questions.ask(scope, with: tokens, announcing: announcing)
      if let statuses = try commit(inquiry) { return statuses }
    }
    throw .stateInUse(live.configuration.stateFolder.checkInLock, by: "other processes", "check-ins")
  }

  /// `reference` is `nil` for all accounts.
  private func followingUp(
    _ reference: AccountReference?, request: () async throws(MAMError) -> [EnrollmentStatus]
  ) async throws(MAMError) -> [EnrollmentStatus] {
    try await wipes.finish(of: reference)
    let before = live.state
    let statuses = try await request()
    try await wipes.finishUnlessInUse(of: reference)
    await restarts.followUp(statuses, since: before)
    return statuses
  }
}

extension Enrollment {
  /// Like `attempt`, at the start of the app; `nil` without an attempt if the host may be asked for a token, because it is
  /// not ready yet.
  func attemptAtStart(_ reference: AccountReference) async throws(MAMError) -> EnrollmentStatus? {
    guard !questions.tokens.mustWaitForHost() else { return nil }
    return try await attempt(reference)
  }

  /// Hands in a token that a host got later, and makes the attempt that waits for it at once: a check-in, or an
  /// enrollment of an account that is registered only. The token serves this attempt only. 213 or 214 for an account
  /// that is not registered, and 203 for a token that cannot be used.
  package func attempt(
    _ reference: AccountReference, withToken token: HostSecret, for resource: String
  ) async throws(MAMError) -> EnrollmentStatus {
    try live.refresh()
    guard let account = live.state.account(reference) else {
      let account = live.state.directory.account(of: reference)
      return .notRegistered(account, isAnyEnrolled: !live.state.enrolledAccounts.isEmpty)
    }
    let grants = await questions.tokens.grants(of: token, for: reference, account, resource: resource)
    return try await attemptAndFollowUp(reference, with: grants)
  }

  /// With `withWipe`, also removes everything that this app holds of the account. A wipe that has already begun goes on
  /// in any case. Does not wait for the token that a service of the tenant would ask for.
  package func deRegisterAndUnenroll(
    _ reference: AccountReference?, withWipe: Bool
  ) async throws(MAMError) -> EnrollmentStatus {
    try live.refresh()
    if let reference, let account = live.state.account(reference)?.account {
      questions.tokens.askForFarewell(of: reference, account)
    }
    if let reference, let known = live.state.account(reference), withWipe || known.isWiping {
      if let status = try await wipes.wipe(reference, .host) { return status }
    }
    await questions.managementEnd.announceUnenrollment(of: reference)
    return try checkIns.unenroll(reference)
  }
}
