// Bridge is the SDK as methods. A method is one type that says all about itself: name, documentation, parameters,
// result, errors, the members of the SDK that it stands for, and the body that answers. `API.methods` is the list of
// these types, and there is no other registration. Events/ and HostRequests/ have one type for each event, and for
// each question to the host.
//
// Kinds/ has the protocols that a method conforms to: whether it is answered at once on the reading thread, there if
// memory has the answer, or is work that may wait; and, besides, whether `policy.explain` can explain it. Schema/ writes the OpenRPC document from the same
// types, from which the clients in clients/ are generated.
//
// `BridgeConnection` is what one connection has of its own: identities, windows, open files, subscriptions, language.
// Host/ turns what the core asks into requests to the host. Strict/ looks for mistakes that hosts make.

import Model

package enum API {
  /// The methods of every server, in the order of the OpenRPC document.
  package static let methods: [any Method.Type] = [
    Initialize.self, Discover.self, Authenticate.self, Shutdown.self,

    RegisterAndEnrollAccount.self, LoginAndEnrollAccount.self, DeRegisterAndUnenrollAccount.self,
    RegisteredAccounts.self, EnrolledAccount.self, EnrolledAccounts.self, GetAllowedAccounts.self,
    MDMEnrolledAccount.self, MDMEnrolledAccountFromCache.self, GetRegisteredAccountStatus.self, UpdateToken.self,
    GetUserStatus.self,

    RemediateCompliance.self, IsRemediationInProgress.self, AnswerChallenge.self,
    EvaluateLaunch.self, DidBecomeActive.self, DidEnterBackground.self,

    GetPINStatus.self, SetPIN.self, ChangePIN.self, ResetPIN.self,

    IsManagementEnabled.self, IsIdentityManaged.self, IsIdentityEqual.self, PrimaryUser.self, ManagedAccounts.self,
    MAMPolicySource.self, GetPolicy.self, GetSettingSources.self, SetUIPolicyIdentity.self, GetUIPolicyIdentity.self,
    SetUIPolicyAccounts.self, GetUIPolicyAccounts.self, BlockedAccounts.self, BlockedReason.self,
    SetCurrentThreadIdentity.self, GetCurrentThreadIdentity.self, SetProcessIdentity.self, GetProcessIdentity.self,
    GetIdentityForCurrentActivity.self, SetWebViewPolicy.self, SetWebViewPolicyDelegate.self,

    IsPINRequired.self, IsManagedBrowserRequired.self, IsContactSyncAllowed.self, IsWidgetContentSyncAllowed.self,
    IsSpotlightIndexingAllowed.self, AreSiriIntentsAllowed.self, AreAppIntentsAllowed.self, IsAppSharingAllowed.self,
    ShouldFileProviderEncryptFiles.self, IsFileEncryptionRequired.self, GetNotificationPolicy.self,
    IsScreenCaptureAllowed.self,
    IsSaveToAllowedForLocation.self, IsOpenFromAllowedForLocation.self, GetSaveToLocations.self,
    GetOpenFromLocations.self, IsURLAllowed.self, IsUniversalLinkAllowed.self, IsDocumentPickerAllowed.self,
    CanReceiveSharedItemProvider.self, CanReceiveSharedFile.self, HasSaveRestriction.self, HasOpenRestriction.self,

    ExplainPolicy.self, WhatWouldChange.self,

    CopyContent.self, PasteContent.self, OpenURL.self, FilterShareTargets.self, IsActionAllowed.self,
    RedactNotification.self, ReceiveContent.self, NavigateWebView.self,

    Protect.self, Unprotect.self, ProtectString.self, UnprotectString.self, ProtectionInfo.self,
    ProtectionInfoForString.self, ProtectionInfoForItemProvider.self,

    OpenFileAtPath.self, CreateFileAtPath.self, ReadFile.self, ReadFileAtOffset.self, WriteFile.self,
    WriteFileAtOffset.self, SeekFile.self, TellFile.self, TruncateFile.self, SizeOfFile.self, SyncFile.self,
    SyncFileData.self, CloseFile.self, IsFileHandleEncrypted.self, ProtectionInfoOfFile.self,

    ProtectPath.self, VerifyAndProtectPath.self, FileOwnerInfo.self, EncryptFile.self, DecryptFile.self,
    IsFileEncrypted.self, SetFileProviderEnumeratorAccount.self, ProtectFileProviderItem.self, ProtectSQLiteVFS.self,
    UnprotectSQLiteVFS.self,

    ProtectFileAtPath.self, DecryptFileAtPath.self, IsFileEncryptedAtPath.self, ProtectionInfoForFileAtPath.self,

    AppConfigFullData.self, AppConfigHasConflict.self, AppConfigBoolValue.self, AppConfigNumberValue.self,
    AppConfigStringValue.self, AppConfigAllBools.self, AppConfigAllNumbers.self, AppConfigAllStrings.self,

    GetSettings.self, SetSettings.self, AADAuthorityURIs.self, EnableStrictMode.self, DisableStrictMode.self,

    IsPinningEnabled.self, ValidateChainWithCertificates.self, ValidateChainWithChallenge.self,
    ShowPinningErrorMessage.self,

    ShowSharingBlockedMessage.self, CaptureImageOfWindow.self, GetRestartApplicationMessage.self,

    QueryLog.self, WriteLog.self, SubscribeToLog.self, ExportDiagnostics.self, GetIntuneLogPaths.self,
    GetDiagnosticInformation.self, GetDiagnosticReport.self, DisplayDiagnosticConsole.self,

    GetDevice.self, SetDevice.self, GetTenantStatus.self, CheckInTenant.self, GetTimeline.self, AdvanceClock.self,
    SetTestPolicy.self, ClearTestPolicy.self,

    SubscribeToEvents.self, UnsubscribeFromEvents.self, ListEvents.self,

    SDKVersion.self,
  ]
}

extension API {
  /// The methods that exist only in a sandbox. A list of their own, so that no other server makes a table of them.
  static let sandboxMethods: [any SandboxMethod.Type] = [
    SetSandboxUser.self, RemoveSandboxUser.self, SetSandboxPolicy.self, RemoveSandboxPolicy.self,
    SetSandboxConfiguration.self, SetSandboxAllowedAccounts.self, WipeSandboxAccount.self, GetSandboxContents.self,
    PlantFault.self, ClearFaults.self, AnswerInSandbox.self, SaveSandbox.self, RestoreSandbox.self, ResetSandbox.self,
    ExportSandbox.self, GetSandboxEnvironment.self, GetSandboxStory.self, ExpectInSandbox.self, WaitInSandbox.self,
    ReportFromSandbox.self, StartSandboxNetwork.self, GetNetworkApp.self, GetNetworkToken.self, SendToNetwork.self,
    PlantNetworkFault.self, ClearNetworkFaults.self, ListNetworkRequests.self, GetNetworkLog.self,
  ]

  /// All methods, in the order of the OpenRPC document.
  package static var allMethods: [any Method.Type] { methods + sandboxMethods.map { $0 as any Method.Type } }

  package static func method(named name: String) -> (any Method.Type)? { byName[name] ?? sandboxMethod(named: name) }

  static func sandboxMethod(named name: String) -> (any SandboxMethod.Type)? {
    guard name.hasPrefix(sandboxNamespace) else { return nil }
    return sandboxMethods.first { $0.name == name }
  }

  static let sandboxNamespace = "sandbox."

  static let byName: [String: any Method.Type] = Dictionary(methods.map { ($0.name, $0) }) { first, _ in first }

  /// The method of this name, if its answers can be explained.
  static func question(named name: String) -> (any ExplainableMethod.Type)? {
    byName[name] as? any ExplainableMethod.Type
  }

  /// The explainable methods, apart from `launches`.
  static var questionNames: [String] {
    methods.filter { $0 is any ExplainableMethod.Type }.map { $0.name }.filter { !launches.contains($0) }
  }

  /// The methods that the command line calls by itself.
  package static let explanation = ExplainPolicy.name
  package static let changeSearch = WhatWouldChange.name
  package static let launches = [EvaluateLaunch.name, DidBecomeActive.name]
  package static let authentication = Authenticate.name
  /// A method that needs neither an account nor a state, and is answered at once.
  package static let greeting = SDKVersion.name
  package static let information = GetDiagnosticInformation.name
  package static let logQuery = QueryLog.name
  package static let logSubscription = SubscribeToLog.name
  package static let logLine = LoggerLog.name
  package static let eventList = ListEvents.name
  /// The calls with which the console's page reads what it shows. Its user makes none of them.
  package static let pageReads: Set = [
    GetTenantStatus.name, GetDevice.name, GetTimeline.name, GetDiagnosticInformation.name, GetDiagnosticReport.name,
    GetPolicy.name, GetSettingSources.name,
  ]

  /// The names of the events that are stored, and of the entry that stands for missing events.
  package static var eventNames: [String] { events.map { $0.name } }
  package static let eventGap = EventsGap.name

  /// The way for content that is too large for one message.
  package static let largeMessageHint = "To send large content in parts, use file.create, file.write and file.close"

  /// The method that a host most likely meant; `nil` if no name is close, or if `name` is over 64 bytes.
  static func nearestName(to name: String, inSandbox: Bool) -> String? {
    let more = inSandbox ? sandboxMethods.map { KnownName($0.name) } : []
    return WantedName(name)?.nearest(amongDotted: knownNames + more)
  }

  private static let knownNames = methods.map { KnownName($0.name) }
}
