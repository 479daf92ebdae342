import Model

/// Whose policy decided. `owner` is the account in question.
package enum DecidingParty: Sendable { case owner, locationAccount, dataOwner, receiver, anyAccount }

/// An answer with its reason. The plain answer and its explanation both come from here, so they cannot differ.
package struct Decision<Value: Sendable>: Sendable {
  package let value: Value
  /// The setting that decided; nil if none did.
  package let setting: SettingName?
  package let rule: PolicyRule
  package let party: DecidingParty
  /// The account of that party; nil for the account in question.
  package let other: AccountReference?
  /// The settings that were not read, because the decision was made before; nil if there are none.
  package private(set) var unread: VoidSetting.Area?

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

  /// The same reason with another answer.
  package func map<Other>(_ transform: (Value) -> Other) -> Decision<Other> {
    Decision<Other>(transform(value), rule, setting, by: party, other).leaving(unread)
  }

  /// The same decision, which leaves these settings unread. An explanation says which of them are set and have no effect.
  func leaving(_ unread: VoidSetting.Area?) -> Decision {
    var decision = self
    decision.unread = unread
    return decision
  }
}

/// Why a question has its answer.
package enum PolicyRule: String, CaseIterable, Sendable {
  case unmanaged, settingDecides, nothingRestricts, typeLacksSetting
  case allAppsAllowed, noAppAllowed, copiesNotBlocked, listedForOwnAccount, ownAccount, listedWithoutAccount
  case notListed, notOwnAccount, needsAccount, takesNoAccount, locationNeverAllowed
  case otherAccountAllows, otherAccountBlocks
  case devicePINReplacesIt, deviceNotManaged, customBrowserReplacesIt, widgetsAllowed
  case appIsManaged, appNotManaged, namedAppOnly, isNamedApp, exemptScheme, exemptLink, managedLink, linkNotListed
  case goesToNamedApp, exemptApp, alwaysExempt, targetsNotFiltered, targetsAreFiltered, receiverBlocks
  case deviceManagesSharing
  case withinOrganization, outsideOrganization
  case ownData, managedData, unmanagedData, dataOwnerAllows, dataOwnerBlocks
  case managedAppsOnly, shortEnough, nothingCopied, pasteInAllowed, ownerNotManagedHere
  case thisAppOnly, copiedInThisApp, noKeyInThisApp
  case blockedForAll, keyboardApproved, screenCaptureDetached, screenCaptureFollowsSending
  case hostSwitches, hostDoesNotSwitch
  case webViewIsUnmanaged, webViewIsOwn, webViewTakesScheme, uploadBlocked
  case noBrowserNeeded, addressIsExternal, addressIsInternal
  case lockDown, noAccountRequiresPIN
  case accountIsManaged, accountIsNotManaged, someAccountIsManaged, noAccountIsManaged, managementIsRequired

  /// A clause that follows "because". With a capital and a period, it is a complete sentence.
  package var text: String {
    switch self {
    case .unmanaged: "unmanaged accounts have no restrictions"
    case .settingDecides: "this setting decides"
    case .nothingRestricts: "no setting restricts this"
    case .typeLacksSetting: "this policy type has no such setting"
    case .allAppsAllowed: "the policy allows data transfer with all apps"
    case .noAppAllowed: "the policy does not allow data transfer with any app"
    case .copiesNotBlocked: "the policy does not block this"
    case .listedForOwnAccount:
      "this location is on the policy's list of allowed locations and belongs to the same account"
    case .ownAccount: "the location belongs to the same account"
    case .listedWithoutAccount: "this location is on the policy's list of allowed locations and belongs to no account"
    case .notListed: "this location is not on the policy's list of allowed locations"
    case .notOwnAccount: "the location belongs to another account"
    case .needsAccount: "the location must belong to the same account, but no account was given"
    case .takesNoAccount: "this location must not belong to an account, but one was given"
    case .locationNeverAllowed: "the policy allows only listed locations, and this location cannot be listed"
    case .otherAccountAllows: "the account of the location allows this too"
    case .otherAccountBlocks: "the account of the location does not allow this"
    case .devicePINReplacesIt: "the device's own PIN replaces the app's PIN"
    case .deviceNotManaged:
      "the device's own PIN replaces the app's PIN only on a device that is enrolled in device management"
    case .customBrowserReplacesIt: "the policy requires another browser instead"
    case .widgetsAllowed: "the policy blocks contact sync but allows content in widgets"
    case .appIsManaged: "the app that would get the data is managed"
    case .appNotManaged: "the app that would get the data is not known to be managed"
    case .namedAppOnly: "only the app that the policy names may open this address"
    case .isNamedApp: "the address opens the app that the policy names"
    case .exemptScheme: "the policy exempts this scheme"
    case .exemptLink: "the policy exempts this link"
    case .managedLink: "the policy lists this link as a link of a managed app"
    case .linkNotListed: "the policy does not list this link"
    case .goesToNamedApp: "the policy sends this address to one app, so the address is rewritten for that app"
    case .exemptApp: "the policy exempts this app"
    case .alwaysExempt: "every policy for Android exempts this app"
    case .targetsNotFiltered: "every app may be offered, because the shared data is protected"
    case .targetsAreFiltered: "only apps that may have the data are offered"
    case .receiverBlocks: "the account that would receive the data does not accept it"
    case .deviceManagesSharing: "the device is managed and keeps other apps from getting the data"
    case .withinOrganization: "the data stays within the account's organization"
    case .outsideOrganization: "the policy does not let data into or out of the account's organization"
    case .ownData: "the data belongs to the same account"
    case .managedData: "the data belongs to a managed account"
    case .unmanagedData: "the data does not belong to a managed account"
    case .dataOwnerAllows: "the owner of the data allows this too"
    case .dataOwnerBlocks: "the owner of the data does not allow this"
    case .managedAppsOnly: "only managed apps may have the data, so it is protected"
    case .shortEnough: "the text is within the length that the policy exempts"
    case .nothingCopied: "the content is empty"
    case .pasteInAllowed: "the policy allows pasting content from other apps"
    case .ownerNotManagedHere: "the content is protected for an account that is not managed in this app"
    case .thisAppOnly: "no other app may have the data, so it is protected for this app alone"
    case .copiedInThisApp: "the data was copied in this app and belongs to the same account"
    case .noKeyInThisApp: "another app protected the content for itself alone, and this app has no key for it"
    case .blockedForAll: "another account in this app blocks keyboards, which cannot be blocked for one account alone"
    case .keyboardApproved: "the policy approves this keyboard"
    case .screenCaptureDetached:
      "the app configuration sets com.microsoft.intune.mam.screencapturecontrol to Disabled"
    case .screenCaptureFollowsSending: "data may not go to all apps, and a screenshot could go to any"
    case .hostSwitches: "the window must show the owner of the data, and the host switched to that account"
    case .hostDoesNotSwitch: "the window must show the owner of the data, and the host did not switch to that account"
    case .webViewIsUnmanaged: "the web view belongs to no account"
    case .webViewIsOwn: "the web view acts for the same account"
    case .webViewTakesScheme: "the web view handles this scheme itself"
    case .noBrowserNeeded: "the host does not say which addresses are external (setWebViewPolicyDelegate)"
    case .addressIsExternal: "the host says that the address is external to the organization"
    case .addressIsInternal: "the host says that the address is internal to the organization"
    case .uploadBlocked: "the host blocks uploading and pasting in the web view"
    case .lockDown: "the lock-down policy decides for this view, whatever the policies of its accounts say"
    case .noAccountRequiresPIN: "no account of the view requires a PIN"
    case .accountIsManaged: "a policy applies to the account"
    case .accountIsNotManaged: "no policy applies to the account"
    case .someAccountIsManaged: "an account in this app is managed"
    case .noAccountIsManaged: "no account in this app is managed"
    case .managementIsRequired: "the app setting MAMPolicyRequired requires a managed account"
    }
  }
}
