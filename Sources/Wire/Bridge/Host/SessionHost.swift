import JSON
import MAM
import Model
import Support

/// All connected hosts, which the core sees as a single host. Asks one of them, and uses the default if no valid answer
/// comes.
struct SessionHost: Host {
  let registry: HostRegistry
  /// Answers what no host answers; `nil` outside of a sandbox.
  var script: ScriptedUser?
  let timeout: Duration
  /// Writes a warning to the diagnostics log.
  let warn: @Sendable (LogMessage) -> Void
  /// Adds a verbose line to the diagnostics log.
  let trace: @Sendable (@escaping VerboseLog.Line) -> Void
  /// Notes when requests show something to the user; `nil` once the core is gone.
  let screens: @Sendable () -> Screens?
  /// The app's registration with Microsoft Entra, for the sign-in of an account; `nil` once the core is gone.
  let registration: @Sendable (AccountReference?) -> AppRegistration?
  /// In strict mode, checks the form of a token that the host gave. May block.
  var inspect: @Sendable (AccessToken, Account, _ request: String) -> Void = { _, _, _ in }

  func identitySwitchRequired(to account: Account, window: String?, reason: IdentitySwitchReason) async -> Bool {
    let params = IdentitySwitchRequired.Params(
      accountId: account.accountId, identity: account.identity, window: window, reason: reason)
    return await ask(IdentitySwitchRequired.self, params) == .value(.success)
  }

  func blockAccount(_ account: Account, window: String?, reason: BlockAccountReason) async -> HostAnswer<Bool> {
    let params = BlockAccount.Params(
      accountId: account.accountId, identity: account.identity, window: window, reason: reason)
    return switch await ask(BlockAccount.self, params) {
    case .value(let result): .value(result == .success)
    case .canceled: .canceled
    case .unavailable: .unavailable
    }
  }

  func wipeData(of account: Account) async -> Bool { await ask(WipeDataForAccount.self, account) == .value(true) }

  var wipesOnlyAuxiliaryData: Bool {
    registry.isAnswered(WipeAuxiliaryDataForAccount.name) && !registry.isAnswered(WipeDataForAccount.name)
  }

  func wipeAuxiliaryData(of account: Account) async -> Bool {
    await ask(WipeAuxiliaryDataForAccount.self, account) != .value(false)
  }

  var awaitsManagementEnd: Bool { registry.isAnswered(ManagementWillBeRemoved.name) }

  func managementWillBeRemoved(of account: Account) async { _ = await ask(ManagementWillBeRemoved.self, account) }

  func collectLogs(_ request: LogCollection) async -> [AbsolutePath] {
    let params = CollectLogs.Params(
      sessionId: request.sessionId, accountId: request.account.accountId, identity: request.account.identity)
    guard case .value(let answer) = await ask(CollectLogs.self, params) else { return [] }
    return answer.paths
  }

  func restartApplication() async -> Bool { await ask(RestartApplication.self, NoParameters()) == .value(true) }

  func addIdentity(_ account: Account) async -> Bool { await ask(AddIdentity.self, account) == .value(.success) }

  func isExternalURL(_ url: String, in webViewer: String) async -> Bool {
    await ask(IsExternalURL.self, IsExternalURL.Params(webViewer: webViewer, url: url)) == .value(true)
  }

  func acquireToken(for account: Account, resource: String, silent: Bool) async -> HostAnswer<AccessToken> {
    let params = AcquireToken.Params(
      accountId: account.accountId, identity: account.identity, resource: resource, silent: silent,
      registration: registration(account.reference) ?? AppRegistration())
    registry.tokenQuestions.begin(account)
    defer { registry.tokenQuestions.end(account) }
    let answer: HostAnswer<AccessToken> = await ask(AcquireToken.self, params).secured { answer in
      HostSecret(answer.accessToken).map { AccessToken(token: $0, expires: answer.expires) }
    }
    if case .value(let token) = answer { inspect(token, account, AcquireToken.name) }
    return answer
  }

  func promptForCredentials(identity: String?, window: String?, message: String) async -> HostAnswer<Credentials> {
    let params = PromptForCredentials.Params(
      identity: identity, window: window, message: message,
      registration: registration(identity.map { AccountReference($0) }) ?? AppRegistration())
    let answer = await ask(PromptForCredentials.self, params).secured { answer in
      HostSecret(answer.accessToken).map { Credentials(userPrincipalName: answer.userPrincipalName, token: $0) }
    }
    guard case .unavailable = answer, let script else { return answer }
    return script.credentials(of: identity)
  }

  func promptForSignIn(_ prompt: SignInPrompt) async -> HostAnswer<Credentials> {
    let params = PromptForCredentials.Params(
      identity: prompt.account.identity ?? prompt.account.accountId, window: prompt.window, message: prompt.message,
      registration: registration(prompt.account.reference) ?? AppRegistration(),
      verificationUri: prompt.verificationUri, userCode: prompt.userCode.isEmpty ? nil : prompt.userCode,
      expires: prompt.expires)
    let rest = Duration.milliseconds(max(0, prompt.expires.milliseconds - SystemClock().now.milliseconds))
    return await ask(PromptForCredentials.self, params, within: rest).secured { answer in
      HostSecret(answer.accessToken).map { Credentials(userPrincipalName: answer.userPrincipalName, token: $0) }
    }
  }

  func promptForPIN(_ challenge: Challenge) async -> HostAnswer<PINEntry> {
    let answer: HostAnswer<PINEntry> = await ask(PromptForPIN.self, PromptForPIN.Params(challenge: challenge))
      .secured { answer in
        switch (answer.pin, answer.biometric) {
        case (let pin?, nil): HostSecret(pin).map { .pin($0) }
        case (nil, let biometric?): .biometric(biometric)
        default: nil
        }
      }
    guard case .unavailable = answer, let script else { return answer }
    return script.pin(for: challenge)
  }

  func showAlert(_ alert: HostAlert) async -> String? {
    let params = ShowAlert.Params(
      title: alert.title, message: alert.message, actions: alert.actions, window: alert.window)
    guard case .value(let answer) = await ask(ShowAlert.self, params) else { return script?.button(of: alert) }
    return answer.action
  }

  func showDiagnosticConsole(path: String) async {
    _ = await ask(ShowDiagnosticConsole.self, ShowDiagnosticConsole.Params(path: path))
  }
}

extension SessionHost {
  /// The largest image that is passed on, in bytes.
  private static let imageLimit = 16 << 20

  func captureWindow(_ window: String?) async -> [UInt8]? {
    guard case .value(let image?) = await ask(CaptureWindow.self, CaptureWindow.Params(window: window)) else {
      return nil
    }
    guard image.bytes.count <= Self.imageLimit else {
      warn("\(public: CaptureWindow.name): the host's image is larger than 16 MiB; the default applies")
      return nil
    }
    return image.bytes
  }
}

extension SessionHost {
  /// Asks a host. The answer is `unavailable` if no host declared the request, or if the answer is missing or invalid;
  /// the log has the reason.
  func ask<R: HostRequest>(
    _ request: R.Type, _ params: R.Params, within limit: Duration? = nil
  ) async -> HostAnswer<R.Result> {
    let start = ContinuousClock.now
    let answer = await answer(request, params, within: limit ?? timeout)
    let duration = ContinuousClock.now - start
    trace { "host request \(public: R.name): \(public: answer.summary) (\(duration))" }
    return answer
  }

  private func answer<R: HostRequest>(
    _ request: R.Type, _ params: R.Params, within limit: Duration
  ) async -> HostAnswer<R.Result> {
    guard let peer = registry.peer(answering: R.name, askedBy: BridgeConnection.current) else { return .unavailable }
    let screen = R.screen(params).flatMap { screens()?.begin($0) }
    defer { if let screen { screens()?.end(screen) } }
    switch await peer.ask(R.name, params: params.jsonBytes, timeout: limit) {
    case .result(let text): return read(text, of: request)
    case .failure(let code, _) where code == ErrorCode.canceled.number: return .canceled
    case .failure(let code, _):
      // Refusing with a declared error is no fault: the host may have been told not to ask the user.
      if !R.errors.contains(where: { $0.number == code }) {
        warn("\(public: R.name): the host answered with error \(code); the default applies")
      }
    case .unanswered:
      // A request that nobody waits for any longer needs no answer.
      if !Task.isCancelled { warn("\(public: R.name): the host did not answer; the default applies") }
    }
    return .unavailable
  }

  /// Decodes the answer. The log gets the place and type of a fault, never the host's text, which may be secret.
  private func read<R: HostRequest>(_ text: ClearedBytes, of request: R.Type) -> HostAnswer<R.Result> {
    do {
      return .value(
        try text.withBytes { try R.Result.decode(JSONNode(scanned: UnsafeRawBufferPointer($0))) })
    } catch let error as JSONDecodingError {
      warn("\(public: R.name): the host's answer is invalid: \(public: error.discreetMessage); the default applies")
    } catch {
      warn("\(public: R.name): the host's answer cannot be read; the default applies")
    }
    return .unavailable
  }
}

extension HostAnswer where Value: FieldValue {
  /// The answer for the log: a simple value as it is, and only the member names of an object, whose values may be
  /// secret.
  fileprivate var summary: String {
    switch self {
    case .canceled: "canceled"
    case .unavailable: "no answer, the default applies"
    case .value(let value):
      switch value.jsonValue {
      case .object(let object):
        "answered with " + object.members.filter { !$0.value.isNull }.map(\.name).joined(separator: ", ")
      case .string(let text) where text.utf8.count > 200: "answered with \(text.utf8.count) bytes"
      case let answer: answer.jsonText
      }
    }
  }
}

extension HostAnswer {
  /// The answer with its secret in protected memory; `unavailable` if there is no such memory.
  fileprivate func secured<Secured>(_ secure: (Value) -> Secured?) -> HostAnswer<Secured> {
    switch self {
    case .value(let value): secure(value).map { .value($0) } ?? .unavailable
    case .canceled: .canceled
    case .unavailable: .unavailable
    }
  }
}
