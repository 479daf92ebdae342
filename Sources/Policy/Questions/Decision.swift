import Model

/// Whose policy decided: that of the account that was asked about, or another's.
package enum DecidingParty: Sendable { case owner, locationAccount, dataOwner, receiver, anyAccount }

/// An answer with its reason: what is asked and what explains it come from here alike.
package struct Decision<Value: Sendable>: Sendable {
  package let value: Value
  /// The setting that decided; nil where none did.
  package let setting: SettingName?
  package let rule: PolicyRule
  package let party: DecidingParty
  /// Who that is; nil for the account that was asked about.
  package let other: AccountReference?

  package init(
    _ value: Value, _ rule: PolicyRule, _ setting: SettingName? = nil, by party: DecidingParty = .owner,
    _ other: AccountReference? = nil
  ) {
    self.value = value
    self.setting = setting
    self.rule = rule
    self.party = party
    self.other = other
  }

  /// Another answer for the same reason.
  package func map<Other>(_ transform: (Value) -> Other) -> Decision<Other> {
    Decision<Other>(transform(value), rule, setting, by: party, other)
  }
}

/// Why a question was answered as it was.
package enum PolicyRule: String, CaseIterable, Sendable {
  case unmanaged, settingDecides, nothingRestricts
  case allAppsAllowed, noAppAllowed, copiesNotBlocked, listedForOwnAccount, ownAccount, listedWithoutAccount
  case notListed, notOwnAccount, needsAccount, takesNoAccount, locationNeverAllowed
  case otherAccountAllows, otherAccountBlocks
  case devicePINReplacesIt, customBrowserReplacesIt, widgetsAllowed
  case appIsManaged, appNotManaged, namedAppOnly, isNamedApp, exemptScheme, exemptLink, managedLink, linkNotListed
  case goesToNamedApp, exemptApp, targetsNotFiltered, targetsAreFiltered, receiverBlocks
  case deviceManagesSharing
  case ownData, managedData, unmanagedData, dataOwnerAllows, dataOwnerBlocks
  case managedAppsOnly, shortEnough, nothingCopied, pasteInAllowed, ownerNotManagedHere
  case thisAppOnly, copiedInThisApp, noKeyInThisApp
  case blockedForAll, keyboardApproved, screenCaptureDetached, screenCaptureFollowsSending
  case hostSwitches, hostDoesNotSwitch
  case webViewIsUnmanaged, webViewIsOwn, webViewTakesScheme, uploadBlocked
  case noBrowserNeeded, addressIsExternal, addressIsInternal
  case accountIsManaged, accountIsNotManaged, someAccountIsManaged, noAccountIsManaged, managementIsRequired

  /// A clause that completes "because".
  package var text: String {
    switch self {
    case .unmanaged: "the account is not managed, and without policy nothing is restricted"
    case .settingDecides: "the setting says so"
    case .nothingRestricts: "no setting restricts it"
    case .allAppsAllowed: "data may be exchanged with all apps"
    case .noAppAllowed: "data may be exchanged with no app"
    case .copiesNotBlocked: "the policy does not block it"
    case .listedForOwnAccount: "the policy lists the location and it belongs to the same account"
    case .ownAccount: "the location belongs to the same account"
    case .listedWithoutAccount: "the policy lists the location and it belongs to no account"
    case .notListed: "the policy does not list the location"
    case .notOwnAccount: "the location belongs to another account"
    case .needsAccount: "the location belongs to no account, and must belong to the same one"
    case .takesNoAccount: "the location has no account, but one was given"
    case .locationNeverAllowed: "the policy blocks it, and this location can be no exception"
    case .otherAccountAllows: "the location's account allows it too"
    case .otherAccountBlocks: "the location's account does not allow it"
    case .devicePINReplacesIt: "the device's own PIN replaces it"
    case .customBrowserReplacesIt: "the policy names another browser"
    case .widgetsAllowed: "the policy allows widgets although it blocks syncing"
    case .appIsManaged: "the address leads to a managed app"
    case .appNotManaged: "the address does not lead to an app that is known to be managed"
    case .namedAppOnly: "only the app that the policy names may take it"
    case .isNamedApp: "the address leads to the app that the policy names"
    case .exemptScheme: "the policy exempts the scheme"
    case .exemptLink: "the policy exempts the link"
    case .managedLink: "the policy lists the link as one of a managed app"
    case .linkNotListed: "the policy does not list the link"
    case .goesToNamedApp: "the policy leaves it to one app, for which it is rewritten"
    case .exemptApp: "the policy exempts the app"
    case .targetsNotFiltered: "other apps may be offered, since what they get is protected"
    case .targetsAreFiltered: "only apps that may have the data are offered"
    case .receiverBlocks: "the account that would receive the data does not accept it"
    case .deviceManagesSharing: "the device is managed and keeps the data from other apps itself"
    case .ownData: "the data belongs to the same account"
    case .managedData: "the data belongs to a managed account"
    case .unmanagedData: "the data belongs to no managed account"
    case .dataOwnerAllows: "the owner of the data allows it too"
    case .dataOwnerBlocks: "the owner of the data does not let it go there"
    case .managedAppsOnly: "only managed apps may have the data, so that it is protected"
    case .shortEnough: "the text is no longer than the policy lets out of and into managed apps"
    case .nothingCopied: "there is nothing in it"
    case .pasteInAllowed: "the policy lets content of other apps come in"
    case .ownerNotManagedHere: "the content is protected for an account that is not managed in this app"
    case .thisAppOnly: "no other app may have the data, so that it is protected for this app alone"
    case .copiedInThisApp: "the data was copied in this app and belongs to the same account"
    case .noKeyInThisApp: "this app has no key for the content: another app has protected it for itself alone"
    case .blockedForAll: "an account of this app blocks it, and it cannot be blocked for one account alone"
    case .keyboardApproved: "the policy approves the keyboard"
    case .screenCaptureDetached:
      "the app configuration com.microsoft.intune.mam.screencapturecontrol is Disabled"
    case .screenCaptureFollowsSending: "data may not be sent to all apps, and a screenshot would let it"
    case .hostSwitches:
      "the window must show whose data it is, and the application has switched to that account"
    case .hostDoesNotSwitch:
      "the window must show whose data it is, and the application has not switched to that account"
    case .webViewIsUnmanaged: "the web view is nobody's"
    case .webViewIsOwn: "the web view acts for the same account"
    case .webViewTakesScheme: "web views take the address themselves"
    case .noBrowserNeeded: "nothing tells external addresses from the application's own (setWebViewPolicyDelegate)"
    case .addressIsExternal: "the application says that the address leads out of the organization's content"
    case .addressIsInternal: "the application says that the address is the organization's own"
    case .uploadBlocked: "the application has blocked uploads and pasting in the web view"
    case .accountIsManaged: "a policy is in force for the account"
    case .accountIsNotManaged: "no policy is in force for the account"
    case .someAccountIsManaged: "an account of this app is managed"
    case .noAccountIsManaged: "no account of this app is managed"
    case .managementIsRequired: "the setting MAMPolicyRequired wants one"
    }
  }
}
