/// Why an enrollment or a policy fails on a phone: one row of the table of causes.
package struct PhoneCause: Sendable {
  /// The number in the table.
  package let number: Int
  package let title: String
  package let actor: PhoneCode.Actor
  /// What confirms it.
  package let confirmation: String
  package let remedy: String
  /// Issues of public trackers, and documents.
  package let sources: String
  /// Each decides alone.
  package let decides: [Signature]
  /// Each suggests the cause.
  package let hints: [Signature]
  package let reproduction: Reproduction

  /// What must be in the input, and what must not.
  package struct Signature: Hashable, Sendable {
    package let all: Set<Evidence>
    package var none: Set<Evidence> = []

    init(_ all: Evidence..., without none: Evidence...) {
      (self.all, self.none) = (Set(all), Set(none))
    }
  }

  package enum Evidence: Hashable, Sendable {
    case code(String)
    case sign(PhoneSign)
  }

  /// How a tenant folder and a script show the same.
  package enum Reproduction: Hashable, Sendable {
    case notTargeted, notLicensed, noToken, otherAccount, notEnrolled, noIdentity, values, protectionRequired
    /// Why mambridge cannot show it.
    case impossible(String)
  }
}

extension PhoneCause.Signature {
  /// - Parameters:
  ///   - own: What one attempt says, of which at least a part must belong to the signature.
  ///   - input: What the whole input says.
  func matches(_ own: Set<PhoneCause.Evidence>, in input: Set<PhoneCause.Evidence>) -> Bool {
    all.isSubset(of: own.union(input)) && !all.isDisjoint(with: own) && none.isDisjoint(with: own.union(input))
  }

  /// Whether a code that says why is among the evidence.
  var saysWhy: Bool {
    all.contains { if case .code(let name) = $0 { PhoneCode.named(name)?.family.saysWhy ?? false } else { false } }
  }
}

extension PhoneCause {
  package static func numbered(_ number: Int) -> PhoneCause? { all.first { $0.number == number } }

  package static let all: [PhoneCause] = [
    PhoneCause(
      number: 1, title: "no policy or app configuration is assigned to the user for this app", actor: .administrator,
      confirmation: "In Intune, the app protection status of the user; the bundle ID or package name in the policy",
      remedy: "Assign a policy or an app configuration for this app to the user. It arrives within 30 minutes",
      sources: "ios#281, ios#128, ios#434, ios#440, android#173", decides: [code("225")],
      hints: [sign(.accountsNotTargeted), Signature(.code("ENROLLMENT_SUCCEEDED"), without: .sign(.policyReceived))],
      reproduction: .notTargeted),
    PhoneCause(
      number: 2, title: "the user has no license", actor: .administrator,
      confirmation: "The license of the user and its service plan for Intune",
      remedy: "Assign a license. A new one may take days to count",
      sources: "wrap-android#35, ios#210, ios#459, chatr#52",
      decides: [], hints: [code("200"), sign(.accountNotSetUpDialog), code("NOT_LICENSED")], reproduction: .notLicensed),
    PhoneCause(
      number: 3, title: "the Company Portal app is missing on the Android device", actor: .user,
      confirmation: "Whether the Company Portal is installed in the same profile as the app",
      remedy: "Install the Company Portal and enroll again; the SDK itself tries again after 12 hours",
      sources: "android#284, android#166, android#124, android#158",
      decides: ["NOT_LICENSED", "COMPANY_PORTAL_REQUIRED"].flatMap { status in
        [
          Signature(.code(status), .sign(.companyPortalMissing)), Signature(.code(status), .sign(.offlineClasses)),
        ]
      },
      hints: [code("NOT_LICENSED"), code("COMPANY_PORTAL_REQUIRED")],
      reproduction: .impossible("mambridge has no Company Portal")),
    PhoneCause(
      number: 4, title: "another work account is on the Android device", actor: .user,
      confirmation: "Settings, Accounts: is there another work account?",
      remedy: "Clear the storage of the app and of the Company Portal, and remove the other account",
      sources: "android#158", decides: [],
      hints: [Signature(.code("NOT_LICENSED"), without: .sign(.companyPortalMissing), .sign(.offlineClasses))],
      reproduction: .impossible("mambridge has no accounts of Android")),
    PhoneCause(
      number: 5, title: "nobody has consented to the permission for the service", actor: .administrator,
      confirmation: "In Entra, the permissions of the enterprise application", remedy: "Grant admin consent",
      sources: "android#284, taskr#13, adal#1515", decides: [code("AADSTS65001")],
      hints: [code("AADSTS650056"), code("AUTHORIZATION_NEEDED"), code("203")],
      reproduction: .impossible("the sources of mambridge have no consent")),
    PhoneCause(
      number: 6, title: "the tenant does not know the service", actor: .administrator,
      confirmation: "The service principals of the user's tenant",
      remedy: "Open the admin consent URL of the app in that tenant", sources: "Microsoft's list of Entra errors",
      decides: [code("AADSTS650052")], hints: [],
      reproduction: .impossible("the sources of mambridge have no service principals")),
    PhoneCause(
      number: 7, title: "the permission is missing in the registration of the app", actor: .developer,
      confirmation: "The API permissions of the registration; the message of the error names the resource",
      remedy: "Add DeviceManagementManagedApps.ReadWrite (Microsoft Mobile Application Management), and grant consent",
      sources: "ios#44, ios#84, wrap-ios#111", decides: [code("AADSTS650057")],
      hints: [code("AADSTS650056"), code("AUTHORIZATION_NEEDED"), code("203")],
      reproduction: .impossible("mambridge has no registrations of apps")),
    PhoneCause(
      number: 8, title: "the redirect URI of the app is not registered in Entra", actor: .developer,
      confirmation: "The redirect URIs of the registration",
      remedy: "Add msauth.<bundle>://auth. Overrides in code come too late for AutoEnrollOnLaunch",
      sources: "ios#29, msal#905", decides: [code("AADSTS50011")], hints: [],
      reproduction: .impossible("mambridge has no redirect URIs")),
    PhoneCause(
      number: 9, title: "the URL scheme of the app is not in Info.plist", actor: .developer,
      confirmation: "CFBundleURLSchemes; mambridge configure checks it", remedy: "Add msauth.<bundle>",
      sources: "ios#337, apple#2, msal#1431", decides: [code("-51118"), code("-42001")], hints: [],
      reproduction: .impossible("mambridge has no Info.plist while it runs")),
    PhoneCause(
      number: 10, title: "the MSAL client cannot be made", actor: .developer, confirmation: "Info.plist of the app",
      remedy: "List msauthv2 and msauthv3 in LSApplicationQueriesSchemes, and check bundle ID and redirect URI",
      sources: "nayanaubie/msal_auth#80, msal PR 811, ios#611", decides: [],
      hints: [sign(.clientNotCreated), code("-50000")], reproduction: .impossible("mambridge has no MSAL")),
    PhoneCause(
      number: 11, title: "the answer of the broker does not reach MSAL", actor: .developer,
      confirmation: "A breakpoint in the handler of URLs", remedy: "Pass every URL to MSAL, without own conditions",
      sources: "apple#56, msal#1320", decides: [code("-42700"), code("-51800")], hints: [],
      reproduction: .impossible("mambridge has no broker")),
    PhoneCause(
      number: 12, title: "the authority is missing, or has no broker", actor: .developer,
      confirmation: "ADALAuthority in IntuneMAMSettings", remedy: "Set ADALAuthority", sources: "ios#456", decides: [],
      hints: [Signature(.code("-51100"), .sign(.authorityMissing))],
      reproduction: .impossible("mambridge has no authority of MSAL")),
    PhoneCause(
      number: 13, title: "no token was found without asking the user", actor: .developer,
      confirmation: "Did MSAL sign the user in before, with the same client ID?",
      remedy: """
        Sign in first; share the keychain group com.microsoft.adalcache, or set ADALCacheKeychainGroupOverride; then look \
        for a code AADSTS
        """,
      sources: "ios#128, ios#89, ios#272, ios#484, ios#504", decides: [],
      hints: [sign(.noAccountProvided), code("203"), code("-50002")], reproduction: .noToken),
    PhoneCause(
      number: 14, title: "MSAL is not linked or not configured", actor: .developer,
      confirmation: "The linked frameworks of the app", remedy: "Link MSAL, and set ADALClientId and ADALRedirectUri",
      sources: "ios#173, ios#225, ios#237", decides: [], hints: [code("201"), sign(.unexpectedFailureDialog)],
      reproduction: .impossible("mambridge has no MSAL")),
    PhoneCause(
      number: 15, title: "another account is enrolled", actor: .user,
      confirmation: "enrolledAccount, and the user who manages the device",
      remedy: "Use the enrolled account, or unenroll it first. It outlives a new installation, in the keychain",
      sources: "wrap-ios#55, ios#464, ios#479, troubleshoot-mam.md",
      decides: [code("210"), code("218"), code("227"), code("WRONG_USER")],
      hints: [sign(.unequalIdentities), sign(.noAccessDialog)], reproduction: .otherAccount),
    PhoneCause(
      number: 16, title: "the app asks for the policy of an account that is not enrolled", actor: .developer,
      confirmation: "The account ID that the app passes", remedy: "Pass the ID of the enrolled account",
      sources: "ios#527", decides: [code("214"), sign(.notTheEnrolledUser)], hints: [], reproduction: .notEnrolled),
    PhoneCause(
      number: 17, title: "the policy is there, but no identity is set", actor: .developer,
      confirmation: "Switch MultiIdentity off: does the PIN come?",
      remedy: "Set the UI policy identity, or switch MultiIdentity off", sources: "ios#515, ios#527", decides: [],
      hints: ["100", "101"].map { Signature(.code($0), .sign(.multiIdentity)) }
        + [Signature(.sign(.policyReceived), .sign(.multiIdentity))],
      reproduction: .noIdentity),
    PhoneCause(
      number: 18, title: "it is too early", actor: .user, confirmation: "Wait a minute, and start the app again",
      remedy: "iOS restarts after the first policy; Android applies a policy later, by design",
      sources: "android#49, ios#440", decides: [], hints: [sign(.successMomentsAgo), code("PENDING")],
      reproduction: .impossible("a policy of mambridge counts at once")),
    PhoneCause(
      number: 19, title: "the values of the policy say so", actor: .administrator,
      confirmation: "The settings of the policy, one by one", remedy: "Change the policy",
      sources: "ios#515, android#306",
      decides: [], hints: [sign(.policyReceived)], reproduction: .values),
    PhoneCause(
      number: 20, title: "Conditional Access wants app protection, which is a step and no fault", actor: .developer,
      confirmation: "Did the app register its callback early?",
      remedy: "Call remediateCompliance; on Android, return a token for the MAM service",
      sources: "android#320, android#206, ios#393",
      decides: [code("AADSTS53005"), code("AADSTS53009"), code("-50004"), code("-51430")],
      hints: [code("CLIENT_ERROR"), code("APP_DID_NOT_PROVIDE_TOKEN")], reproduction: .protectionRequired),
    PhoneCause(
      number: 21, title: "the keys of the device management are missing", actor: .administrator,
      confirmation: "Was the app installed by the device management?",
      remedy: "Configure IntuneMAMUPN, and IntuneMAMDeviceID for own apps; the app must be installed by the management",
      sources: "troubleshoot-mam-policy-deployment.md, IntuneDocs PR 1887", decides: [],
      hints: [sign(.managementKeysMissing)],
      reproduction: .impossible("an app configuration of MDM has no such keys here")),
    PhoneCause(
      number: 22, title: "the app is not registered, after an upgrade of the SDK", actor: .developer,
      confirmation: "The options -ac, -ar and -aa of the wrapping tool", remedy: "Register the app in Entra",
      sources: "wrap-ios#119, wrap-ios#113", decides: [], hints: [sign(.signInFailedDialog)],
      reproduction: .impossible("mambridge has no registrations of apps")),
    PhoneCause(
      number: 23, title: "status 302 of the SDK 9.0, which is a success", actor: .developer,
      confirmation: "The version of the SDK", remedy: "Nothing", sources: "ios#20",
      decides: [Signature(.code("302"), .sign(.sdk9))], hints: [code("302")],
      reproduction: .impossible("mambridge has no such status")),
  ]

  private static func code(_ name: String) -> Signature { Signature(.code(name)) }
  private static func sign(_ sign: PhoneSign) -> Signature { Signature(.sign(sign)) }
}
