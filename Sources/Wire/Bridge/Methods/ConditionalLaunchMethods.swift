import JSON
import MAM
import Model

enum EvaluateLaunch: LaunchQuestion {
  static let name = "conditionalLaunch.evaluate"
  static let summary =
    "Evaluate the conditional launch of an account: whether its data may be shown, and what each rule says."
  static let details = """
    The result lists every rule of the policy, whatever the verdict. If a rule demands a wipe, the wipe happens before \
    the answer. An account without a policy is allowed.

    The server asks the user with ui.showAlert, ui.promptForPIN and ui.promptForCredentials. Questions that no host \
    asks are listed in challenges: answer them with conditionalLaunch.answer and call again. Questions come only if \
    nothing blocks, in this order: warnings, PIN, sign-in. An accepted warning is not repeated until its text changes \
    or the connection ends; on other connections, for 15 minutes. A canceled question blocks once.

    If the device has a network, a check-in is tried first when the policy source was out of reach for too long, \
    refused the user, or has no fresh clock status. An account that was offline longer than \
    periodOfflineBeforeWipeIsEnforced must sign in: canceling that sign-in wipes at once, and so does a disabled \
    account.

    PIN and sign-in are required again if the account was not used for periodOnlineBeforeAccessCheck in any app of the \
    publisher. Each evaluation that allows counts as use, unless the host reported that it is in the background. A \
    period of zero sets no limit offline; online, PIN and sign-in are then required for every use. What the user \
    answered before a use counts for it if that was less than the period ago, or less than a minute, so that the call \
    that needed the answer can be repeated. Biometrics replace the PIN until the account was not used for \
    pinRequiredInsteadOfBiometricTimeout. The verdict is about the account as a check-in that was tried left it: it is \
    wipe only if data is removed. Commit point: the first change \
    that is stored; a wipe comes before all others.
    """
  struct Params: WindowTargeted {
    var shown = ShownTarget()
    static let fields = Fields(
      Self.init,
      ShownTarget.group(
        account: "The account to evaluate; defaults to the effective identity of the window.",
        window: "The host's name for the window that will show the data; defaults to \"main\"."))
  }
  typealias Result = ConditionalLaunch
  static let resultSummary = "The verdict, every rule with its outcome, and the open challenges."
  static let errors: [ErrorCode] = [.policyRequired]
  static let example = Example(
    Params(shown: ShownTarget(account: "alice@contoso.example")), ConditionalLaunch.exampleBlocked)

  static func answer(
    _ asked: Addressed<Params>, on connection: BridgeConnection
  ) async throws(MAMError) -> ConditionalLaunch {
    let launches = connection.core.conditionalLaunch
    if let view = asked.view {
      return try await launches.evaluate(of: view, window: asked.params.shown.window, in: connection.launchSession)
    }
    return try await launches.evaluate(
      of: asked.account, window: asked.params.shown.window, in: connection.launchSession)
  }
}

enum DidBecomeActive: LaunchQuestion {
  static let name = "conditionalLaunch.didBecomeActive"
  static let summary = "Report that a window came to the foreground, and evaluate the account that it shows."
  static let details = """
    Evaluates the window's identity like conditionalLaunch.evaluate, first of all how long the account was not used. \
    Once it is allowed, the account counts as in use until conditionalLaunch.didEnterBackground, so neither PIN nor \
    sign-in is required again. A second didBecomeActive of the same window means that the window had left the \
    foreground unreported, at its last evaluation. If the user cancels, \
    policyDelegate.identitySwitchRequired asks the host to show no user ("") in the window, with the reason \
    cancelConditionalLaunch. In a window that shows several accounts, each is evaluated, and \
    policyDelegate.blockAccount asks the host to hide those that may not be shown. The window counts as in the \
    foreground as soon as the call arrives, and on this connection only.
    """
  struct Params: Targeted {
    var window: String?
    var target: PolicyTarget { ShownTarget(window: window).target }
    static let fields = Fields(
      Self.init, Field("window", \.window, "The host's name for the window; defaults to \"main\"."))
  }
  typealias Result = ConditionalLaunch
  static let resultSummary = EvaluateLaunch.resultSummary
  static let errors: [ErrorCode] = [.tooManyIdentities, .policyRequired]
  static let example = Example(Params(), ConditionalLaunch.exampleBlocked)

  /// Notes the window when the call arrives, because a question to the user may take long.
  static func capture(_ params: Params, on connection: BridgeConnection) -> Swift.Result<Addressed<Params>, MAMError> {
    do throws(MAMError) {
      try connection.launchSession.enter(params.window)
      connection.core.managedUser.check()
      return .success(Addressed(params, on: connection))
    } catch {
      return .failure(error)
    }
  }

  static func answer(
    _ arrived: Swift.Result<Addressed<Params>, MAMError>, on connection: BridgeConnection
  ) async throws(MAMError) -> ConditionalLaunch {
    let asked = try arrived.get()
    if let view = asked.view {
      return try await connection.core.windows.didBecomeActive(
        view, window: asked.params.window, of: connection.identities, in: connection.launchSession)
    }
    return try await connection.core.windows.didBecomeActive(
      asked.account, window: asked.params.window, of: connection.identities, in: connection.launchSession)
  }
}

enum DidEnterBackground: WorkMethod {
  static let name = "conditionalLaunch.didEnterBackground"
  static let summary = "Report that a window left the foreground."
  static let details = """
    When the last window leaves the foreground, periodOnlineBeforeAccessCheck starts to run, after which PIN and \
    sign-in are required again, for all apps of the publisher. The start is stored in the state folder. A host that \
    ends without this call counts as having left at its last evaluation. Commit point: the store transaction.
    """
  typealias Params = WindowParams
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(), Nothing())

  /// Notes that the window left when the call arrives.
  static func capture(_ params: Params, on connection: BridgeConnection) -> LeftForeground? {
    connection.launchSession.leave(params.window, at: connection.core.knownNow)
  }

  static func answer(_ left: LeftForeground?, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    if let left { try connection.core.conditionalLaunch.didLeaveForeground(left) }
    return Nothing()
  }
}

extension ConditionalLaunch {
  fileprivate static let exampleBlocked = ConditionalLaunch(
    verdict: .block,
    rules: [
      LaunchRuleReport(
        setting: "minimumRequiredOsVersion", value: "17.0", actual: "16.4", outcome: .block,
        text: "osVersion 16.4 is below 17.0: access is blocked.",
        message: """
          Your organization requires a newer version (17.0) of the device's system. Update the system to continue.
          """,
        policyId: "T_11111111-1111-4111-8111-111111111111")
    ],
    challenges: [], host: HostMachine(system: "Linux", release: "6.1.0", architecture: "x86_64"))
}

/// A window of the host.
struct WindowParams: Record {
  var window: String?
  static let fields = Fields(
    Self.init, Field("window", \.window, "The host's name for the window; defaults to \"main\"."))
}
