import Model

extension AccountState {
  /// The last status as a host of this level reads it; `nil` before the first attempt ended.
  func readStatus(on platform: DevicePlatform, at level: SDKLevel) -> EnrollmentStatus? {
    var read = status?.read(on: platform, at: level, isEnrolled: isEnrolled)
    if isShut { read?.access = .block }
    return read
  }

  /// What a host may do with the account's work data, as far as the enrollment tells.
  func access(isEnrolling: Bool) -> AccountAccess {
    guard !isShut else { return .block }
    guard let status, isEnrolled || !isEnrolling else { return isEnrolled ? .allow : .wait }
    return status.statusCode.access(isEnrolled: isEnrolled)
  }

  /// The account in the words of the Android SDK.
  ///
  /// An enrolled account keeps its policy if a check-in fails, so its enrollment still counts as successful, unless only
  /// a token can help.
  func registeredStatus(
    on platform: DevicePlatform, at level: SDKLevel, isEnrolling: Bool, allowsSeveralAccounts: Bool
  ) -> RegisteredAccountStatus {
    guard let status, isEnrolled || !isEnrolling else { return isEnrolled ? .enrollmentSucceeded : .pending }
    if isWiping { return status.statusCode == .failedToClearMamData ? .unenrollmentFailed : .unenrollmentSucceeded }
    let name = status.statusCode.registeredStatus
    if isEnrolled { return name == .authorizationNeeded ? name : .enrollmentSucceeded }
    if status.statusCode.didSucceed(on: platform, at: level), name == .enrollmentFailed { return .enrollmentSucceeded }
    return name == .wrongUser && allowsSeveralAccounts ? .enrollmentFailed : name
  }
}

/// A question about the registration of an account, with the attempts that were running when it arrived.
package struct RegistrationQuestion: Sendable {
  let account: AccountReference
  let ongoing: [AccountReference]
  let level: SDKLevel

  package init(about account: AccountReference, to rooms: any Rooms, at level: SDKLevel) {
    self.account = account
    ongoing = rooms.parts.memory.ongoingEnrollments.all
    self.level = level
  }
}

extension CoreState {
  /// `nil` for an account that is neither registered nor being registered now.
  package func registeredStatus(_ question: RegistrationQuestion) -> RegisteredAccountStatus? {
    let isEnrolling = question.ongoing.contains { areEqual($0, question.account) }
    guard let account = account(question.account) else { return isEnrolling ? .pending : nil }
    return account.registeredStatus(
      on: device.platform, at: question.level, isEnrolling: isEnrolling,
      allowsSeveralAccounts: self.allowsSeveralAccounts)
  }
}
