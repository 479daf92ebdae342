import Model
import Policy
import SQLite

/// The start of an app: whether the core enrolls an account by itself, and whether the app may continue.
///
/// A single-identity app shows the account of the process from the start, so the conditional launch of that account is
/// evaluated; the user is not asked yet. An app with MultiIdentity shows no account yet, so nothing is evaluated.
///
/// | setting | verdict without any policy |
/// |---|---|
/// | MAMPolicyRequired | block |
/// | MAMPolicyWarnAbsent | warn |
/// | neither | allow |
///
/// With AutoEnrollOnLaunch, if no account is enrolled, the core first enrolls the user that the device is managed for.
/// If the device is managed for nobody and MAMPolicyRequired is also set, the core asks the host to let a user sign in.
package struct AppStart: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let identity: ProcessIdentity
  let screens: Screens
  let challenges: Challenges
  let launches: ConditionalLaunches
  let autoEnrollment: AutoEnrollment
  let managedUser: ManagedUser

  /// Returns what the host must know at its start. Stores the event `launchReport` if the verdict is not allow, or if
  /// an attempt to enroll was made. Marks wipes, which run in `followUp` because they can ask the host. May block.
  /// Throws only if the state cannot be read. `givesTokens` is whether the host will answer requests for tokens; an
  /// enrollment that may need a token is left to `followUp`.
  package func run(in session: LaunchSession, givesTokens: Bool = false) async throws(MAMError) -> Outcome {
    let services = try live.refresh()
    let before = live.state
    let isDue = autoEnrollment.isDue
    let isPostponed = isDue && autoEnrollment.tokens.mustWaitForHost(givesTokens)
    // A read-only state keeps challenges in memory, and an enrollment makes commits of its own.
    let notes = services.store.isReadOnly || isDue && !isPostponed ? nil : LaunchNotes()
    if notes == nil { screens.startHost() }
    let attempt = await isPostponed ? .postponed : isDue ? autoEnrollment.attempt() : nil
    var report = await report(attempt?.reason, in: session, noting: notes)
    trace(report)
    let isTold = report.verdict != .allow || attempt?.hasTried == true
    if let notes {
      store(notes, &report, isTold: isTold, services.log)
    } else if isTold {
      publish(report, services.log)
    }
    return Outcome(
      report: report, enrollment: attempt?.status, isPostponed: isPostponed, before: before, session: session)
  }

  /// Stores what the launch has found, in one commit. The account is blocked if its challenges cannot be stored.
  private func store(_ notes: LaunchNotes, _ report: inout LaunchReport, isTold: Bool, _ log: DiagnosticsLog) {
    guard isTold || !notes.isEmpty || screens.mayEndAtStart else { return }
    let (event, language) = (report.event, live.language)
    if isTold { write(report, to: log) }
    do throws(MAMError) {
      let (opened, next) = try live.commit { transaction throws(SQLiteError) in
        let opened = try notes.store(in: transaction, language: language)
        let next = try screens.startHost(showing: opened, in: transaction)
        if isTold { try transaction.append(.launchReport(event)) }
        return (opened, next)
      }
      if let next { screens.settleLater(at: next) }
      report.replaceNoted(by: opened) { try? challenges.judges.complete($0) }
    } catch {
      log.write(.error, .enrollment, "cannot store the launch report: \(public: error.description)")
      if !notes.isEmpty { report.add(error) }
    }
  }

  package struct Outcome: Sendable {
    package let report: LaunchReport
    /// The status of the account that was enrolled; `nil` if none was.
    fileprivate let enrollment: EnrollmentStatus?
    fileprivate let isPostponed: Bool
    fileprivate let before: CoreState
    fileprivate let session: LaunchSession
  }

  /// Follows up after the host has received the report: runs marked wipes, asks the host to add the account that was
  /// enrolled and to restart for its policy, and lets the host tell the user about a missing policy. Also checks for
  /// which user the device is managed.
  package func followUp(_ outcome: Outcome) async {
    let telemetry = TelemetryReport(launch: outcome.report, of: live.state.primaryAccount, on: live.state.device)
    live.telemetry.send([telemetry], live.state)
    _ = try? await launches.wipes.finishDue()
    _ = managedUser.ask()
    if outcome.isPostponed { await enrollLate(outcome) }
    if let status = outcome.enrollment { await autoEnrollment.followUp(status, since: outcome.before) }
    let absence = live.state.launchReport(nil).verdict
    if absence == .block, await letUserSignIn(in: outcome.session) { return }
    guard let message = absence.messageOfAbsence else { return }
    let notice = UserNotice(.alert(.noPolicyTitle), .alert(message))
    _ = await hosts.current.showAlert(HostAlert(notice, in: live.language))
  }

  /// Enrolls with a token of the host, and sends another report.
  private func enrollLate(_ outcome: Outcome) async {
    let attempt = await autoEnrollment.attempt()
    if let status = attempt.status { await autoEnrollment.followUp(status, since: outcome.before) }
    guard let log = try? live.refresh().log else { return }
    publish(await report(attempt.reason, in: outcome.session), log)
  }

  /// Lets a user sign in, and sends another report. Returns whether the verdict is now allow.
  private func letUserSignIn(in session: LaunchSession) async -> Bool {
    do throws(MAMError) {
      guard try await autoEnrollment.letUserSignIn() != nil else { return false }
      publish(
        await report(LaunchReport.Reason(.autoEnrollOnLaunch, LaunchText.signedIn), in: session),
        try live.refresh().log)
      return live.state.launchReport(nil).verdict == .allow
    } catch {
      if let log = try? live.refresh().log {
        log.write(.error, .enrollment, "the sign-in at launch failed: \(public: error.description)")
      }
      return false
    }
  }

  private func report(
    _ enrollment: LaunchReport.Reason?, in session: LaunchSession, noting notes: LaunchNotes? = nil
  ) async -> LaunchReport {
    var report = live.state.launchReport(enrollment)
    if live.state.settings.separatesIdentities {
      report.reasons.append(LaunchReport.Reason(.multiIdentity, LaunchText.nothingShown))
    } else if let account = shownAccount, account.isManaged {
      do throws(MAMError) {
        let end = try await launches.run(
          account, window: nil, in: session, .launching, noting: notes)
        report.add(end, in: live.language)
      } catch {
        report.add(error)
      }
    }
    return report
  }

  /// The account that a single-identity app shows before any window has an identity.
  private var shownAccount: AccountState? {
    guard let identity = identity.reference else { return live.state.effectiveAccount }
    return live.state.account(identity)
  }

  private func trace(_ report: LaunchReport) {
    guard live.verbose.isOn else { return }
    let reasons = report.reasons.map { " \($0.setting): \($0.text)" }.joined()
    Trace(live: live)(.conditionalLaunch) { "launch: \(public: report.verdict.rawValue).\(public: reasons)" }
  }

  private func write(_ report: LaunchReport, to log: DiagnosticsLog) {
    let settings = report.reasons.map(\.setting).joined(separator: ", ")
    log.write(
      report.verdict == .allow ? .info : .warning, .enrollment,
      "launch: \(public: report.verdict.rawValue) (\(public: settings))")
  }

  /// Stores the report as an event.
  private func publish(_ report: LaunchReport, _ log: DiagnosticsLog) {
    write(report, to: log)
    do throws(MAMError) {
      try live.commit { transaction throws(SQLiteError) in try transaction.append(.launchReport(report.event)) }
    } catch {
      log.write(.error, .enrollment, "cannot store the launch report: \(public: error.description)")
    }
  }
}

/// The texts of a launch report: what is wrong, and what to do.
enum LaunchText {
  static let policyRequired = """
    The app requires a policy, but no account has one, so policy and data methods fail. Enroll an account that has a \
    policy: call enrollmentManager.registerAndEnrollAccount.
    """
  static let policyAbsent = "No account has a policy, so nothing is protected. The app may continue."
  static let nobodyToEnroll = """
    No account was enrolled, because the device is not managed for a user. Let the user sign in, and call \
    enrollmentManager.registerAndEnrollAccount to enroll the account.
    """
  static let notEnrolled = "The user that the device is managed for could not be enrolled:"
  static let enrolled = "The user that the device is managed for was enrolled."
  static let postponed = "The user that the device is managed for is enrolled after the start, with a token."
  static let signedIn = "A user signed in and was enrolled."
  static let nothingShown = """
    The app shows no account yet, so no conditional launch was evaluated. To evaluate the conditional launch of an \
    account, call policyManager.setUIPolicyIdentity or conditionalLaunch.evaluate.
    """
}

extension LaunchReport {
  /// Without the conditional launch, because challenges expire before events do.
  fileprivate var event: LaunchReport { LaunchReport(verdict: verdict, reasons: reasons) }

  /// Puts the challenges that are open in the place of those that were noted.
  fileprivate mutating func replaceNoted(
    by opened: [Challenge], _ complete: (Challenge) -> Challenge?
  ) {
    guard var launch = conditionalLaunch else { return }
    for (place, open) in zip(launch.challenges.indices, opened) where open.id != launch.challenges[place].id {
      launch.challenges[place] = complete(open) ?? open
    }
    conditionalLaunch = launch
  }

  fileprivate mutating func add(_ end: LaunchEnd, in language: Language) {
    verdict = max(verdict, end.verdict)
    reasons += end.reasons
    conditionalLaunch = end.report(in: language)
  }

  /// Blocks, because the account could not be evaluated.
  fileprivate mutating func add(_ error: MAMError) {
    verdict = max(verdict, .block)
    conditionalLaunch = nil
    reasons.append(Reason(setting: "conditionalLaunch", text: "The conditional launch failed: \(error.description)"))
  }
}

extension LaunchEnd {
  /// Why the verdict is not allow.
  var reasons: [LaunchReport.Reason] {
    let outcomes: [LaunchOutcome] = [.wipe, .block, .challenge, .warn]
    return findings.filter { outcomes.contains($0.outcome) }.map { finding in
      LaunchReport.Reason(setting: finding.name.text, text: finding.result.text)
    }
  }
}

extension LaunchVerdict {
  /// What to tell the user about a missing policy; `nil` if there is nothing to tell.
  fileprivate var messageOfAbsence: AlertMessage? {
    switch self {
    case .allow, .wipe: nil
    case .warn: .noPolicyMessage
    case .block: .policyRequired
    }
  }
}

extension CoreState {
  /// What the settings require. `enrollment` is the result of AutoEnrollOnLaunch; `nil` if no enrollment was due.
  func launchReport(_ enrollment: LaunchReport.Reason?) -> LaunchReport {
    var (verdict, reasons) = (LaunchVerdict.allow, [enrollment].compactMap { $0 })
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
