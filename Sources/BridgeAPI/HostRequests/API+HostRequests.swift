extension API {
  /// The one list of the requests to hosts, in the order of the document.
  package static let hostRequests: [any HostRequest.Type] = [
    IdentitySwitchRequired.self, WipeDataForAccount.self, RestartApplication.self, AddIdentity.self,
    IsExternalURL.self, AcquireToken.self, PromptForCredentials.self, PromptForPIN.self, ShowAlert.self,
    ShowDiagnosticConsole.self,
  ]
}
