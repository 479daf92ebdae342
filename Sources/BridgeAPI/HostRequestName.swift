import Model

/// The requests of the server that a host can declare to answer.
package enum HostRequestName: String, NamedValue {
  case identitySwitchRequired = "policyDelegate.identitySwitchRequired"
  case wipeDataForAccount = "policyDelegate.wipeDataForAccount"
  case restartApplication = "policyDelegate.restartApplication"
  case addIdentity = "policyDelegate.addIdentity"
  case isExternalURL = "webViewPolicyDelegate.isExternalURL"
  case acquireToken = "auth.acquireToken"
  case promptForCredentials = "ui.promptForCredentials"
  case promptForPIN = "ui.promptForPIN"
  case showAlert = "ui.showAlert"
  case showDiagnosticConsole = "ui.showDiagnosticConsole"
}
