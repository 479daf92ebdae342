import Support

/// What a log or a dump says beside codes.
package enum PhoneSign: String, CaseIterable, Hashable, Sendable {
  case companyPortalMissing, offlineClasses, clientNotCreated, authorityMissing, noAccountProvided, notTheEnrolledUser
  case policyReceived, unequalIdentities, accountsNotTargeted, managementKeysMissing, multiIdentity, sdk9
  case successMomentsAgo
  case accountNotSetUpDialog, unexpectedFailureDialog, noAccessDialog, signInFailedDialog

  /// What stands in the input, for a table.
  package var text: String {
    switch self {
    case .companyPortalMissing: "`MDM package is not installed`"
    case .offlineClasses: "a tag or class named `…Offline…`, such as `lineMAMWERetryScheduler`"
    case .clientNotCreated: "`Failed to instantiate MSALPublicClientApplication`"
    case .authorityMissing: "an authority that is nil"
    case .noAccountProvided: "`No account provided`"
    case .notTheEnrolledUser: "`CMARPolicyCheckInPreReqOperation` fails"
    case .policyReceived: "a policy with its values"
    case .unequalIdentities: "two hashes of identities"
    case .accountsNotTargeted: "`RegisteredAccountsNotTargeted` is not empty"
    case .managementKeysMissing: "`EMM-UPN` and `MDMEnrolledUser` are null"
    case .multiIdentity: "`MultiIdentityEnabled=true`"
    case .sdk9: "SDK 9.0"
    case .successMomentsAgo: "a success at the end of the log"
    case .accountNotSetUpDialog: "the dialog \"Account Not Set Up\""
    case .unexpectedFailureDialog: "the dialog \"Unexpected failure\""
    case .noAccessDialog: "a dialog that the account \"does not have access\""
    case .signInFailedDialog: "the dialog \"Sign-in Failed\""
    }
  }

  /// What a line says. Signs of dumps and of the log as a whole come from elsewhere.
  static func signs(in line: LogLine) -> [PhoneSign] {
    var signs = tokens.filter { line.includes($0.token) }.map(\.sign)
    if line.includes("CMARPolicyCheckInPreReqOperation"),
      line.includesInAnyCase("fail") || line.includesInAnyCase("not the enrolled user")
    {
      signs.append(.notTheEnrolledUser)
    }
    if line.includesInAnyCase("authority"), line.includes("nil") || line.includes("null"), line.includes("-51100") {
      signs.append(.authorityMissing)
    }
    if !line.isLogged || line.includes("MAM_CHECKPOINT: Alert") {
      signs += dialogs.filter { line.includesInAnyCase($0.title) }.map(\.sign)
    }
    return signs
  }

  private static let tokens: [(token: StaticString, sign: PhoneSign)] = [
    ("MDM package is not installed", .companyPortalMissing), ("lineMAMWERetryScheduler", .offlineClasses),
    (".offline.Offline", .offlineClasses), ("OfflineMAM", .offlineClasses),
    ("Failed to instantiate MSALPublicClientApplication", .clientNotCreated),
    ("No account provided", .noAccountProvided), ("Received policy [", .policyReceived),
    ("MultiIdentityEnabled=true", .multiIdentity), ("IntuneMAM 9.0.", .sdk9), ("SDK 9.0.", .sdk9), ("sdk 9.0.", .sdk9),
    ("SDK version 9.0.", .sdk9), ("SDK: 9.0.", .sdk9),
  ]

  private static let dialogs: [(title: StaticString, sign: PhoneSign)] = [
    ("account not set up", .accountNotSetUpDialog), ("unexpected failure", .unexpectedFailureDialog),
    ("does not have access", .noAccessDialog), ("sign-in failed", .signInFailedDialog),
  ]
}
