/// Why a question was answered as it was.
package enum PolicyRule: String, CaseIterable, Sendable {
  case unmanaged, settingDecides, nothingRestricts
  case allAppsAllowed, noAppAllowed, copiesNotBlocked, listedForOwnAccount, ownAccount, listedWithoutAccount
  case notListed, notOwnAccount, needsAccount, takesNoAccount, locationNeverAllowed
  case otherAccountAllows, otherAccountBlocks
  case devicePINReplacesIt, customBrowserReplacesIt, widgetsAllowed
  case appIsManaged, appNotManaged, namedAppOnly, isNamedApp, exemptScheme, exemptLink, managedLink, linkNotListed
  case ownData, managedData, unmanagedData, dataOwnerAllows, dataOwnerBlocks

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
    case .locationNeverAllowed: "the location cannot be allowed while the policy blocks the others"
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
    case .ownData: "the data belongs to the same account"
    case .managedData: "the data belongs to a managed account"
    case .unmanagedData: "the data belongs to no managed account"
    case .dataOwnerAllows: "the owner of the data allows it too"
    case .dataOwnerBlocks: "the owner of the data does not let it go there"
    }
  }
}
