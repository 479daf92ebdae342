import Model
import Policy
import SQLite

/// The start of an application: whom the core enrolls on its own, and whether the application may go on.
///
/// The account of the process, which a single-identity app shows from the start, gets its conditional launch; nobody is
/// asked yet. An app with MultiIdentity shows nothing yet, so nothing is evaluated.
///
/// | setting | without any policy |
/// |---|---|
/// | MAMPolicyRequired | block |
/// | MAMPolicyWarnAbsent | warn |
/// | neither | allow |
///
/// With AutoEnrollOnLaunch, and while nobody is enrolled, the user that the device is managed for is enrolled first. Where
/// it is managed for nobody, and MAMPolicyRequired is set too, the host is asked to let a user sign in.
package struct AppStart: Sendable {
  let core: Core

  /// What the host learns. The event `launchReport` is stored where the verdict is not allow, and where an attempt to
  /// enroll was made. A wipe is marked here and done in `followUp`, which can ask the host. May block. Only a state that
  /// cannot be read is an error.
  package func run(in session: LaunchSession) async throws(MAMError) -> Outcome {
    let services = try core.refresh()
    let before = core.state
    let attempt = isEnrollmentDue ? enroll() : nil
    let report = await report(attempt?.reason, in: session)
    trace(report)
    if report.verdict != .allow || attempt?.hasTried == true { tell(report, services.log) }
    return Outcome(report: report, enrollment: attempt?.status, before: before, session: session)
  }

  package struct Outcome: Sendable {
    package let report: LaunchReport
    /// Of who was enrolled.
    fileprivate let enrollment: EnrollmentStatus?
    fileprivate let before: CoreState
    fileprivate let session: LaunchSession
  }

  /// What the host is told and asked when it knows the report: to show the account that was enrolled, to restart for its policy,
  /// and to tell the user of what a policy lacks for.
  package func followUp(_ outcome: Outcome) async {
    let telemetry = TelemetryReport(launch: outcome.report, of: core.state.primaryAccount, on: core.state.device)
    core.telemetry.tell([telemetry], core.state)
    _ = try? await core.wipes.finishDue()
    if let status = outcome.enrollment { await followUp(status, since: outcome.before) }
    let absence = core.state.launchReport(nil).verdict
    if absence == .block, await letUserSignIn(in: outcome.session) { return }
    guard let message = absence.messageOfAbsence else { return }
    let notice = UserNotice(.alert(.noPolicyTitle), .alert(message))
    _ = await core.host.showAlert(HostAlert(notice, in: core.language))
  }

  private func followUp(_ status: EnrollmentStatus, since before: CoreState) async {
    await addIdentity(of: status)
    await core.restarts.followUp([status], since: before)
  }

  private func addIdentity(of status: EnrollmentStatus) async {
    let account = Account(accountId: status.accountId, identity: status.identity)
    if await !core.host.addIdentity(account), let log = try? core.refresh().log {
      log.write(.warning, .enrollment, "\(personal: account) was enrolled at launch, and the host did not add it")
    }
  }

  /// Whether that brought a policy: then there is another report, which allows.
  private func letUserSignIn(in session: LaunchSession) async -> Bool {
    guard isEnrollmentDue, core.source.managedUser == nil else { return false }
    do throws(MAMError) {
      guard let status = try await core.login.askHost(nil, nil), !isEnrollmentDue else { return false }
      await addIdentity(of: status)
      tell(
        await report(LaunchReport.Reason(.autoEnrollOnLaunch, LaunchText.signedIn), in: session),
        try core.refresh().log)
      return core.state.launchReport(nil).verdict == .allow
    } catch {
      if let log = try? core.refresh().log {
        log.write(.error, .enrollment, "the user could not sign in at launch: \(public: error.description)")
      }
      return false
    }
  }

  private struct Attempt {
    let hasTried: Bool
    /// Nil for an attempt that failed.
    let status: EnrollmentStatus?
    let reason: LaunchReport.Reason

    init(_ text: String, hasTried: Bool = true, _ status: EnrollmentStatus? = nil) {
      reason = LaunchReport.Reason(.autoEnrollOnLaunch, text)
      self.hasTried = hasTried
      self.status = status
    }
  }

  private var isEnrollmentDue: Bool {
    core.state.settings.bool(.autoEnrollOnLaunch) && core.state.enrolledAccounts.isEmpty
  }

  private func enroll() -> Attempt {
    guard let user = core.source.managedUser else { return Attempt(LaunchText.nobodyToEnroll, hasTried: false) }
    do throws(MAMError) {
      let status = try core.enrollment.attempt(user)
      guard status.didSucceed, status.statusCode != .wipeReceived else {
        let reason = status.errorString ?? StatusMeaning(of: status.statusCode).text + "."
        return Attempt("\(LaunchText.notEnrolled) \(reason)")
      }
      return Attempt(LaunchText.enrolled, status)
    } catch {
      return Attempt("\(LaunchText.notEnrolled) \(error)")
    }
  }

  private func report(_ enrollment: LaunchReport.Reason?, in session: LaunchSession) async -> LaunchReport {
    var report = core.state.launchReport(enrollment)
    if core.state.settings.bool(.multiIdentity) {
      report.reasons.append(LaunchReport.Reason(.multiIdentity, LaunchText.nothingShown))
    } else if let account = shownAccount, account.isManaged {
      do throws(MAMError) {
        let end = try await core.conditionalLaunch.run(account, window: nil, in: session, .launching)
        report.add(end, in: core.language)
      } catch {
        report.add(error)
      }
    }
    return report
  }

  /// Whom a single-identity app shows before any window has said whom it shows.
  private var shownAccount: AccountState? {
    guard let identity = core.processIdentity else { return core.state.effectiveAccount }
    return core.state.account(identity)
  }

  private func trace(_ report: LaunchReport) {
    guard core.verbose.isOn else { return }
    let reasons = report.reasons.map { " \($0.setting): \($0.text)" }.joined()
    core.trace(.conditionalLaunch) { "launch: \(public: report.verdict.rawValue).\(public: reasons)" }
  }

  /// The event has no conditional launch: its challenges are over before the event is.
  private func tell(_ report: LaunchReport, _ log: DiagnosticsLog) {
    let event = LaunchReport(verdict: report.verdict, reasons: report.reasons)
    let settings = report.reasons.map(\.setting).joined(separator: ", ")
    log.write(
      report.verdict == .allow ? .info : .warning, .enrollment,
      "launch: \(public: report.verdict.rawValue) (\(public: settings))")
    do throws(MAMError) {
      try core.commit { transaction throws(SQLiteError) in try transaction.append(.launchReport(event)) }
    } catch {
      log.write(.error, .enrollment, "the launch report could not be stored: \(public: error.description)")
    }
  }
}

/// What a launch report says: what is wrong, and the way out.
enum LaunchText {
  static let policyRequired = """
    The application needs a policy, and no account has one: policy and data methods are refused. Enroll an account \
    that has a policy: enrollmentManager.registerAndEnrollAccount.
    """
  static let policyAbsent = "No account has a policy: nothing is protected. The application may go on."
  static let nobodyToEnroll = """
    The device is not managed for a user, so nobody was enrolled. Let the user sign in, and enroll the account: \
    enrollmentManager.registerAndEnrollAccount.
    """
  static let notEnrolled = "The user that the device is managed for could not be enrolled."
  static let enrolled = "The user that the device is managed for was enrolled."
  static let signedIn = "A user has signed in and was enrolled."
  static let nothingShown = """
    The application shows no account yet, so no conditional launch was evaluated. policyManager.setUIPolicyIdentity and \
    conditionalLaunch.evaluate evaluate it.
    """
}

extension LaunchReport {
  fileprivate mutating func add(_ end: LaunchEnd, in language: Language) {
    verdict = max(verdict, Verdict(end.verdict))
    reasons += end.reasons
    conditionalLaunch = end.report(in: language)
  }

  /// An account that could not be evaluated is not shown.
  fileprivate mutating func add(_ error: MAMError) {
    verdict = max(verdict, .block)
    reasons.append(Reason(setting: "conditionalLaunch", text: "The conditional launch failed. \(error.description)"))
  }
}

extension LaunchEnd {
  /// What keeps the verdict from allow.
  var reasons: [LaunchReport.Reason] {
    let outcomes: [LaunchOutcome] = [.wipe, .block, .challenge, .warn]
    return findings.filter { outcomes.contains($0.outcome) }.map { finding in
      LaunchReport.Reason(setting: finding.setting.rawValue, text: finding.result.text)
    }
  }
}

extension LaunchReport.Verdict {
  /// What the user is told about a policy that is missing; nil where there is nothing to tell.
  fileprivate var messageOfAbsence: AlertMessage? {
    switch self {
    case .allow, .wipe: nil
    case .warn: .noPolicyMessage
    case .block: .policyRequired
    }
  }
}

extension CoreState {
  /// What the settings ask for. `enrollment` is what became of AutoEnrollOnLaunch; nil where nothing was tried.
  func launchReport(_ enrollment: LaunchReport.Reason?) -> LaunchReport {
    var (verdict, reasons) = (LaunchReport.Verdict.allow, [enrollment].compactMap { $0 })
    if managedAccounts.isEmpty {
      if settings.bool(.mamPolicyWarnAbsent) {
        verdict = .warn
        reasons.append(LaunchReport.Reason(.mamPolicyWarnAbsent, LaunchText.policyAbsent))
      }
      if settings.bool(.mamPolicyRequired) {
        verdict = .block
        reasons.append(LaunchReport.Reason(.mamPolicyRequired, LaunchText.policyRequired))
      }
    }
    return LaunchReport(verdict: verdict, reasons: reasons)
  }
}
