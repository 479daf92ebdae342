import JSON
import MAM
import Model

enum EvaluateLaunch: WorkMethod {
  static let name = "conditionalLaunch.evaluate"
  static let summary = "May the data of an account be shown, and which rules of its policy say what?"
  static let details = """
    Lists every rule of the policy, whatever the verdict. A rule that wipes wipes before the answer. What the user has \
    to answer is asked by ui.showAlert, ui.promptForPIN and ui.promptForCredentials; what nobody asks is listed in \
    challenges: answer them with conditionalLaunch.answer and call again. They come in this order, and only where \
    nothing blocks: warnings, PIN, sign-in. An accepted warning holds until its text changes or the connection ends, \
    for other connections 15 minutes; a canceled question blocks once. While the policy source has been away for too \
    long, refused the user or tells no fresh clock status, and there is a network, a check-in is tried first. Who was \
    offline longer than periodOfflineBeforeWipeIsEnforced must sign in: canceling that wipes at once, as does a \
    disabled account. PIN and sign-in are asked again when the account was not in use for \
    periodOnlineBeforeAccessCheck, in any app of the publisher; without conditionalLaunch.didEnterBackground each \
    evaluate that allows counts as use. A period of zero limits nothing offline, and asks each time online. An account \
    without policy is allowed. Commit point: that of what it stores, the wipe first of all.
    """
  struct Params: Showing {
    var shown = ShownTarget()
    static let fields = Fields(
      Self.init,
      ShownTarget.group(
        account: "Whose policy is asked; without it the effective identity's.",
        window: "The host's name for the window that is to show it; without it \"main\"."))
  }
  typealias Result = ConditionalLaunch
  static let resultSummary = "The verdict, every rule with its outcome, and what is open."
  static let errors: [ErrorCode] = [.policyRequired]
  static let example = Example(
    Params(shown: ShownTarget(account: "alice@contoso.example")), ConditionalLaunch.exampleBlocked)

  static func answer(
    _ asked: Asked<Params>, on connection: BridgeConnection
  ) async throws(MAMError) -> ConditionalLaunch {
    try await connection.core.conditionalLaunch.evaluate(
      of: asked.account, window: asked.params.shown.window, in: connection.launchSession)
  }
}

enum DidBecomeActive: WorkMethod {
  static let name = "conditionalLaunch.didBecomeActive"
  static let summary = "The host has come into the foreground: evaluates what its window shows."
  static let details = """
    As conditionalLaunch.evaluate of the window's identity. Until conditionalLaunch.didEnterBackground the account \
    counts as in use, so that neither PIN nor sign-in is asked again. When the user cancels, \
    policyDelegate.identitySwitchRequired asks the host to show "" in the window (cancelConditionalLaunch). Holds for \
    the connection, from when the call comes.
    """
  struct Params: Targeted {
    var window: String?
    var target: PolicyTarget { ShownTarget(window: window).target }
    static let fields = Fields(
      Self.init, Field("window", \.window, "The host's name for the window; without it \"main\"."))
  }
  typealias Result = ConditionalLaunch
  static let resultSummary = EvaluateLaunch.resultSummary
  static let errors: [ErrorCode] = [.tooManyIdentities, .policyRequired]
  static let example = Example(Params(), ConditionalLaunch.exampleBlocked)

  /// The coming is noted when the call arrives: what was asked meanwhile may take long.
  static func arrive(_ params: Params, on connection: BridgeConnection) -> Swift.Result<Asked<Params>, MAMError> {
    do throws(MAMError) {
      try connection.launchSession.enter(params.window, at: connection.core.now)
      return .success(Asked(params, on: connection))
    } catch {
      return .failure(error)
    }
  }

  static func answer(
    _ arrived: Swift.Result<Asked<Params>, MAMError>, on connection: BridgeConnection
  ) async throws(MAMError) -> ConditionalLaunch {
    let asked = try arrived.get()
    return try await connection.core.windows.didBecomeActive(
      asked.account, window: asked.params.window, of: connection.identities, in: connection.launchSession)
  }
}

enum DidEnterBackground: WorkMethod {
  static let name = "conditionalLaunch.didEnterBackground"
  static let summary = "The host has left the foreground with a window."
  static let details = """
    When it was the last window that was there, the time begins after which PIN and sign-in are asked again \
    (periodOnlineBeforeAccessCheck), for all apps of the publisher; kept in the state folder. A host that ends without \
    it counts as having left at its last check. Commit point: the store's transaction.
    """
  typealias Params = WindowParams
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(), Nothing())

  /// As its coming, so its leaving.
  static func arrive(_ params: Params, on connection: BridgeConnection) -> LeftForeground? {
    connection.launchSession.leave(params.window, at: connection.core.now)
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
    Self.init, Field("window", \.window, "The host's name for the window; without it \"main\"."))
}
