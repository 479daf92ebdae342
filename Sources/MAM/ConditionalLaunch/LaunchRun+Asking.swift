import Model
import Policy

/// The steps that ask.
extension LaunchRun {
  /// All warnings are one question.
  mutating func warn() async throws(MAMError) {
    let notices = end.warnings.compactMap(\.result.notice)
    guard let first = notices.first, manner != .silent else { return }
    let notice = UserNotice(first.title, UserText(lines: notices.map(\.message)))
    if session.hasAccepted(notice.message, of: reference) { return acceptWarnings() }
    switch try await ask(.warning, notice, .lasting) {
    case .accepted:
      session.accept(notice.message, of: reference)
      acceptWarnings()
    case .canceled, .over: cancel(.warn, into: .block)
    case .open(let challenge): end.ask(challenge)
    }
  }

  private mutating func acceptWarnings() {
    for finding in end.warnings {
      end.turn(.warn, into: .accepted, "\(finding.result.text) The user has accepted that.") {
        $0.setting == finding.setting
      }
    }
  }

  private mutating func cancel(_ outcome: LaunchOutcome, into new: LaunchOutcome) {
    end.turn(outcome, into: new, "The user has canceled.")
    end.cancel()
  }

  mutating func askForPIN() async throws(MAMError) {
    guard let account = core.state.account(reference), let setting = account.policy?.effective.pinSetting else {
      return
    }
    let use = try core.conditionalLaunch.use(of: account, foregroundSince: session.foregroundSince)
    let step = try await core.pins.step(
      for: account, window: window, isRecheckDue: use.isRecheckDue, mayAsk: mayAsk)
    end.add(LaunchFinding(.pinRequired, true, policyID: setting.policyID, step.result))
    switch step {
    case .challenge(let challenge): end.ask(challenge)
    case .canceled: end.cancel()
    case .wipe:
      if manner != .launching { try await core.wipes.goOn(of: reference) }
      end.isWiped = true
    case .notRequired, .passed: break
    }
  }

  /// One sign-in is enough for all rules that want one.
  mutating func letSignIn() async throws(MAMError) {
    guard let finding = end.signIn, let notice = finding.result.notice else { return }
    switch try await ask(.credentials, notice, .once) {
    case .accepted: end.turn(.challenge, into: .passed, "The user has signed in.") { $0.setting != .pinRequired }
    case .canceled, .over: cancelSignIn()
    case .open(let challenge): end.ask(challenge)
    }
  }

  /// Who was offline for too long and does not sign in loses the data.
  private mutating func cancelSignIn() {
    let text = "The app was offline for too long, and the user did not sign in: the account's data is removed."
    end.turn(.challenge, into: .wipe, text) { $0.setting == .periodOfflineBeforeWipeIsEnforced }
    cancel(.challenge, into: .block)
  }

  private var mayAsk: Bool { manner == .asking && end.challenges.isEmpty }

  /// What the user says: since the last call, or asked for now.
  private func ask(
    _ kind: Challenge.Kind, _ notice: UserNotice, _ acceptance: UserQuestion.Acceptance
  ) async throws(MAMError) -> Challenges.Outcome {
    let question = UserQuestion(
      kind: kind, reference: reference, window: window, notice: notice, acceptance: acceptance)
    return try await core.challenges.ask(question, takingAnswer: manner == .asking, askingHost: mayAsk)
  }
}

extension EffectivePolicy {
  /// Nil where no PIN is wanted.
  var pinSetting: Setting? { value(of: .pinRequired) == .bool(true) ? settings[.pinRequired] : nil }
}
