import Model

extension Enrollment {
  /// Asks the policy source about an account now, whether it is registered or not: to register it again would try
  /// nothing.
  func attempt(_ reference: AccountReference) throws(MAMError) -> EnrollmentStatus {
    try core.refresh()
    if core.state.account(reference) != nil, let status = try checkIn(reference).first { return status }
    return try registerAndEnroll(reference)
  }

  /// `attempt`, and what follows for the host.
  func attemptAndFollowUp(_ reference: AccountReference) async throws(MAMError) -> EnrollmentStatus {
    try await finishWipes(of: reference)
    let before = core.state
    let status = try attempt(reference)
    try await goOnWithWipes(of: reference)
    await followUp([status], since: before)
    return status
  }
}
