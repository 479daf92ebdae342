import JSON
import Model

package enum EvaluateLaunch: Method {
  package static let name = "conditionalLaunch.evaluate"
  package static let summary = "May the data of an account be shown, and which rules of its policy say what?"
  package static let details = """
    Lists every rule of the policy, whatever the verdict. A rule that wipes wipes before the answer. What the user has to \
    answer is asked by ui.showAlert, ui.promptForPIN and ui.promptForCredentials; what nobody asks is listed in \
    challenges: answer them with conditionalLaunch.answer and call again. They come in this order, and only where nothing \
    blocks: warnings, PIN, sign-in. An accepted warning holds until its text changes or the connection ends, for other \
    connections 15 minutes; a canceled question blocks once. While the policy source has been away for too long, refused \
    the user or tells no fresh clock status, and there is a network, a check-in is tried first. Who was offline longer \
    than periodOfflineBeforeWipeIsEnforced must sign in: canceling that wipes at once, as does a disabled account. PIN and sign-in \
    are asked again when the account was not in use for periodOnlineBeforeAccessCheck, in any app of the publisher; \
    without conditionalLaunch.didEnterBackground each evaluate that allows counts as use. A period of zero limits \
    nothing offline, and asks each time online. An account without policy is allowed. Commit point: that of what it \
    stores, the wipe first of all.
    """
  package struct Params: Record, Targeted {
    package var account: AccountReference?
    package var window: String?

    package init(account: AccountReference? = nil, window: String? = nil) {
      self.account = account
      self.window = window
    }

    package static let fields = Fields(
      Self.init(account:window:), Field("account", \.account, PolicyTarget.accountSummary),
      Field("window", \.window, "The host's name for the window that is to show it; without it \"main\"."))

    package var target: PolicyTarget {
      PolicyTarget(account: account, window: window ?? PolicyTarget.mainWindow)
    }
  }
  package typealias Result = ConditionalLaunch
  package static let resultSummary = "The verdict, every rule with its outcome, and what is open."
  package static let errors: [APIError] = .policy
  package static let example = Example(Params(account: "alice@contoso.example"), ConditionalLaunch.exampleBlocked)
}

package enum DidBecomeActive: Method {
  package static let name = "conditionalLaunch.didBecomeActive"
  package static let summary = "The host has come into the foreground: evaluates what its window shows."
  package static let details = """
    As conditionalLaunch.evaluate of the window's identity. Until conditionalLaunch.didEnterBackground the account counts \
    as in use, so that neither PIN nor sign-in is asked again. When the user cancels, \
    policyDelegate.identitySwitchRequired asks the host to show "" in the window (cancelConditionalLaunch). Holds for the connection, from when the call comes.
    """
  package struct Params: Record, Targeted {
    package var window: String?

    package init(window: String? = nil) {
      self.window = window
    }

    package static let fields = Fields(
      Self.init(window:), Field("window", \.window, "The host's name for the window; without it \"main\"."))

    package var target: PolicyTarget { PolicyTarget(window: window ?? PolicyTarget.mainWindow) }
  }
  package typealias Result = ConditionalLaunch
  package static let resultSummary = EvaluateLaunch.resultSummary
  package static let errors: [APIError] = [.tooManyIdentities] + .policy
  package static let example = Example(Params(), ConditionalLaunch.exampleBlocked)
}

package enum DidEnterBackground: Method {
  package static let name = "conditionalLaunch.didEnterBackground"
  package static let summary = "The host has left the foreground with a window."
  package static let details = """
    When it was the last window that was there, the time begins after which PIN and sign-in are asked again \
    (periodOnlineBeforeAccessCheck), for all apps of the publisher; kept in the state folder. A host that ends without it \
    counts as having left at its last check. Commit point: the store's transaction.
    """
  package typealias Params = WindowParams
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(), Nothing())
}

extension ConditionalLaunch {
  fileprivate static let exampleBlocked = ConditionalLaunch(
    verdict: .block,
    rules: [
      LaunchRuleReport(
        setting: "minimumRequiredOsVersion", value: "17.0", actual: "16.4", outcome: .block,
        text: "osVersion 16.4 is below 17.0: access is blocked.",
        message: """
          Your organization needs a newer version (17.0) of the device's system. Update the system to continue.
          """,
        policyId: "T_11111111-1111-4111-8111-111111111111")
    ],
    challenges: [], host: HostMachine(system: "Linux", release: "6.1.0", architecture: "x86_64"))
}
