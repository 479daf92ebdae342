import Model
import Policy

/// The enrollment that AutoEnrollOnLaunch requires: of the user that the device is managed for, or else of a user who
/// signs in.
struct AutoEnrollment: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let source: TenantSource
  let tokens: EnrollmentTokens
  let login: Login
  let enrollment: Enrollment
  let restarts: Restarts

  struct Attempt: Sendable {
    let hasTried: Bool
    /// `nil` if no account was enrolled.
    let status: EnrollmentStatus?
    let reason: LaunchReport.Reason

    /// The enrollment is made after the start.
    static let postponed = Attempt(LaunchText.postponed, hasTried: false)

    fileprivate init(_ text: String, hasTried: Bool = true, _ status: EnrollmentStatus? = nil) {
      reason = LaunchReport.Reason(.autoEnrollOnLaunch, text)
      self.hasTried = hasTried
      self.status = status
    }
  }

  var isDue: Bool {
    live.state.settings.bool(.autoEnrollOnLaunch) && live.state.enrolledAccounts.isEmpty
  }

  func attempt() async -> Attempt {
    guard let user = source.managedUser else { return Attempt(LaunchText.nobodyToEnroll, hasTried: false) }
    let grants = await tokens.collect(for: [user])
    do throws(MAMError) {
      let status = try await enrollment.attempt(user, with: grants)
      guard status.statusCode.didSucceed, status.statusCode != .wipeReceived else {
        let reason = status.errorString ?? StatusMeaning(of: status.statusCode).text + "."
        return Attempt("\(LaunchText.notEnrolled) \(reason)")
      }
      return Attempt(LaunchText.enrolled, status)
    } catch {
      return Attempt("\(LaunchText.notEnrolled) \(error)")
    }
  }

  /// Lets a user sign in. Throws like `Login.askHost`. `nil` if nobody is enrolled afterwards.
  func letUserSignIn() async throws(MAMError) -> EnrollmentStatus? {
    guard isDue, source.managedUser == nil else { return nil }
    guard let status = try await login.askHost(nil, nil), !isDue else { return nil }
    await addIdentity(of: status)
    return status
  }

  /// Asks the host to add the account that was enrolled, and to restart for its policy.
  func followUp(_ status: EnrollmentStatus, since before: CoreState) async {
    await addIdentity(of: status)
    await restarts.followUp([status], since: before)
  }

  private func addIdentity(of status: EnrollmentStatus) async {
    let account = Account(accountId: status.accountId, identity: status.identity)
    if await !hosts.current.addIdentity(account), let log = try? live.refresh().log {
      log.write(.warning, .enrollment, "\(personal: account) was enrolled at launch, but the host did not add it")
    }
  }
}
