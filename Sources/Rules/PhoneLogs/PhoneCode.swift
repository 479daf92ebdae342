import Model

/// A number or a word by which the SDK, MSAL or Entra says how something ended.
package struct PhoneCode: Hashable, Sendable {
  package let family: Family
  /// As logs write it, such as `AADSTS65001`, `-51118`, `225` or `NOT_LICENSED`.
  package let name: String
  /// A sentence; `nil` if nobody has checked what the code means.
  package let meaning: String?
  /// Who can do something about it; `nil` for a success, and if that depends on the cause.
  package let actor: Actor?
  package let source: String

  package enum Family: String, CaseIterable, Hashable, Sendable {
    case enrollment, androidEnrollment, androidCompliance, msal, msalInternal, msid, entra, intuneAuthentication
  }

  package enum Actor: String, Hashable, Sendable {
    case user, administrator, developer, microsoft
  }

  package static func == (code: PhoneCode, other: PhoneCode) -> Bool {
    code.family == other.family && code.name == other.name
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension PhoneCode.Family {
  /// A heading.
  package var title: String {
    switch self {
    case .enrollment: "Enrollment on iOS"
    case .androidEnrollment: "Enrollment on Android"
    case .androidCompliance: "Compliance on Android"
    case .msal: "MSAL"
    case .msalInternal: "MSAL, internal codes"
    case .msid: "MSAL, codes of its common core"
    case .entra: "Microsoft Entra ID"
    case .intuneAuthentication: "Sign-in of the Intune SDK on iOS"
    }
  }

  /// Whether the code says why something failed, and an enrollment's status only that it failed.
  var saysWhy: Bool {
    switch self {
    case .enrollment, .androidEnrollment, .androidCompliance, .intuneAuthentication: false
    case .msal, .msalInternal, .msid, .entra: true
    }
  }
}

extension PhoneCode {
  package static let all: [PhoneCode] = enrollment + android + msal + msid + entra + authentication

  private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

  static func named(_ name: String) -> PhoneCode? { byName[name] }

  /// Whether an account is enrolled now. That is not said of one that was unenrolled.
  var isSuccess: Bool { Self.successes.contains(name) }

  private static let successes: Set = ["100", "101", "103", "ENROLLMENT_SUCCEEDED"]
  /// The ends of attempts that are neither a success nor a failure.
  private static let others: Set = ["102", "104", "UNENROLLMENT_SUCCEEDED"]

  /// Whether an attempt that ends so has failed.
  var isFailure: Bool { !isSuccess && !Self.others.contains(name) }

  /// Whether the code ends an attempt to enroll or to check in.
  var endsAttempt: Bool { family == .enrollment || family == .androidEnrollment && name != "PENDING" }

  /// For a number that is not in the table.
  static func unlisted(entra digits: String) -> PhoneCode {
    PhoneCode(family: .entra, name: "AADSTS" + digits, meaning: nil, actor: nil, source: entraPage + digits)
  }

  private static let entraPage = "https://login.microsoftonline.com/error?code="
}

// MARK: - The table

extension PhoneCode {
  private static let headers = "headers of the SDK 21.7.1"

  private static let enrollment = [
    status(100, "The account is enrolled, and a policy is new."),
    status(101, "The policy is the same as before."),
    status(102, "The service ordered a wipe of the account's data.", .administrator),
    status(103, "The account has no policy, but it is enrolled."),
    status(104, "The account is unenrolled."),
    status(200, "The user has no license for app protection.", .administrator),
    status(201, "The SDK failed in itself; the code names no cause."),
    status(202, "The service is switched off for the tenant.", .administrator),
    status(203, "The SDK got no token for the user; the code does not say why."),
    status(204, "The service could not be located."),
    status(205, "The network failed while the account enrolled.", .user),
    status(206, "The answer of the service could not be read.", .microsoft),
    status(207, "The app named no account.", .developer),
    status(208, "The account is enrolled already."),
    status(209, "The account is not the one that manages the device."),
    status(210, "The device is managed for another user.", .user),
    status(211, "The account is not that of the device."),
    status(212, "The network failed while the policy was fetched.", .user),
    status(213, "The app has no enrolled account.", .developer),
    status(214, "The account is not the enrolled one.", .developer),
    status(215, "The data of the account could not be removed."),
    status(216, "The request took too long."),
    status(217, "The sign-in library failed in itself; its own code says more."),
    status(218, "Another account is enrolled, and the user did not switch.", .user),
    status(219, "The user canceled the sign-in.", .user),
    status(220, "The stored policy is gone."),
    status(221, "The account was unenrolled and is enrolled again."),
    status(222, "The account moves to another tenant."),
    status(223, "The call is not supported here.", .developer),
    status(224, "The sign-in library lacks a method that the SDK calls.", .developer),
    status(225, "The user is licensed, but no policy or app configuration is assigned for this app.", .administrator),
    status(226, "The service blocked the enrollment of this device.", .administrator),
    status(227, "Another managed account is enrolled, and only one is allowed.", .user),
    PhoneCode(
      family: .enrollment, name: "302", meaning: "An internal code of the SDK 9.0, which stands for success.",
      actor: nil, source: "ios#20"),
  ]

  private static func status(_ number: Int, _ meaning: String, _ actor: Actor? = nil) -> PhoneCode {
    PhoneCode(family: .enrollment, name: String(number), meaning: meaning, actor: actor, source: headers)
  }

  private static let android = [
    word("PENDING", "The enrollment goes on."),
    word("AUTHORIZATION_NEEDED", "The app gave no token for the service; the status does not say why."),
    word("NOT_LICENSED", "The enrollment was refused; a missing license is only one of the causes."),
    word("ENROLLMENT_SUCCEEDED", "The account is enrolled; that says nothing about a policy."),
    word("ENROLLMENT_FAILED", "The enrollment failed and is tried again."),
    word("WRONG_USER", "Another account is enrolled on the device.", .user),
    word("COMPANY_PORTAL_REQUIRED", "The Company Portal app is missing.", .user),
    word("UNENROLLMENT_SUCCEEDED", "The account is unenrolled."),
    word("UNENROLLMENT_FAILED", "The account could not be unenrolled."),
    PhoneCode(
      family: .androidCompliance, name: "CLIENT_ERROR", meaning: "The account could not be made compliant.",
      actor: .developer, source: "android#320"),
    PhoneCode(
      family: .androidCompliance, name: "APP_DID_NOT_PROVIDE_TOKEN",
      meaning: "The app's callback returned no token for the service.", actor: .developer, source: "android#206"),
  ]

  private static func word(_ name: String, _ meaning: String, _ actor: Actor? = nil) -> PhoneCode {
    PhoneCode(family: .androidEnrollment, name: name, meaning: meaning, actor: actor, source: "guide of the SDK")
  }

  private static let msal =
    [
      msal(-50000, "MSAL failed in itself; MSALInternalErrorCodeKey says more."),
      msal(-50001, "The device must be registered (workplace join).", .user),
      msal(-50002, "The user must sign in again.", .user),
      msal(-50003, "The server declined some of the permissions that the app asked for.", .administrator),
      msal(-50004, "Conditional Access wants app protection for this app.", .developer),
      msal(-50005, "The user canceled the sign-in.", .user),
      msal(-50006, "The sign-in server answered with an error."),
      inner(-42000, "A parameter of the call is wrong.", .developer),
      inner(-42001, "The app's URL scheme is not in Info.plist.", .developer),
      inner(-42002, "The sign-in request is not valid.", .developer),
      inner(-42003, "The app's identification was refused.", .developer),
      inner(-42004, "The grant, such as a refresh token, is not valid.", .user),
      inner(-42005, "A permission that the app asked for is not valid.", .developer),
      inner(-42006, "The app may not use this way of signing in.", .developer),
      inner(-42008, "MSAL met something unexpected."),
      inner(-42010, "The authority could not be validated.", .developer),
      inner(-42011, "The redirect URI is not valid for the app.", .developer),
      inner(-42101, "Another user signed in than the one asked for.", .user),
      inner(-42106, "The account is missing.", .developer),
      inner(-42700, "No answer of the broker (the Authenticator app) reached MSAL.", .developer),
    ] + (-42714 ... -42701).reversed().map { inner($0, "The broker (the Authenticator app) failed.") }

  private static func msal(_ number: Int, _ meaning: String, _ actor: Actor? = nil) -> PhoneCode {
    PhoneCode(family: .msal, name: String(number), meaning: meaning, actor: actor, source: "MSALError.h")
  }

  private static func inner(_ number: Int, _ meaning: String, _ actor: Actor? = nil) -> PhoneCode {
    PhoneCode(family: .msalInternal, name: String(number), meaning: meaning, actor: actor, source: "MSALError.h")
  }

  private static let msid = [
    core(-51100, "MSAL failed in itself."),
    core(-51112, "A parameter of the call is wrong.", .developer),
    core(-51113, "A parameter about the account is wrong or missing.", .developer),
    core(-51115, "The user must sign in again.", .user),
    core(-51117, "Another user signed in than the one asked for.", .user),
    core(-51118, "The app's URL scheme is not in Info.plist.", .developer),
    core(-51119, "The redirect URI is not valid for the app.", .developer),
    core(-51411, "The app's identification was refused.", .developer),
    core(-51412, "The grant, such as a refresh token, is not valid.", .user),
    core(-51413, "A permission that the app asked for is not valid.", .developer),
    core(-51414, "The app may not use this way of signing in.", .developer),
    core(-51415, "The server declined some of the permissions that the app asked for.", .administrator),
    core(-51430, "Conditional Access wants app protection for this app.", .developer),
    core(-51600, "The authority could not be validated.", .developer),
    core(-51700, "The user canceled the sign-in.", .user),
    core(-51800, "No answer of the broker (the Authenticator app) reached MSAL.", .developer),
  ]

  private static func core(_ number: Int, _ meaning: String, _ actor: Actor? = nil) -> PhoneCode {
    PhoneCode(family: .msid, name: String(number), meaning: meaning, actor: actor, source: "MSIDError.h")
  }

  /// Checked against Microsoft's page "Microsoft Entra authentication and authorization error codes". What that page does
  /// not list has no meaning here.
  private static let entra = [
    entra(50011, "The reply address of the request is not registered for the app.", .developer),
    entra(50076, "The user must use multifactor authentication.", .user),
    entra(50079, "The user must register for multifactor authentication.", .user),
    entra(50105, "The user is not assigned to the app.", .administrator),
    entra(53000, "Conditional Access wants a compliant device.", .user),
    entra(53002, "Conditional Access wants an approved app.", .administrator),
    entra(53003, "Conditional Access blocks the sign-in.", .administrator),
    entra(53005, nil), entra(53009, nil),
    entra(65001, "Neither the user nor an administrator has consented to the app's permissions.", .administrator),
    entra(650052, "The tenant has not enabled the service that the app needs.", .administrator),
    entra(
      650056, "The registration of the app lists no permission for the service, or there is no consent.", .developer),
    entra(650057, "The registration of the app does not list the service that it asked for.", .developer),
    entra(700016, "The tenant does not know the app.", .administrator),
  ]

  private static func entra(_ number: Int, _ meaning: String?, _ actor: Actor? = nil) -> PhoneCode {
    PhoneCode(
      family: .entra, name: "AADSTS\(number)", meaning: meaning, actor: actor, source: entraPage + String(number))
  }

  private static let authentication = [
    PhoneCode(
      family: .intuneAuthentication, name: authentication3,
      meaning: "The sign-in for the service failed; a code of MSAL within the next second says why.", actor: nil,
      source: "ios#337")
  ]

  static let authentication3 = "com.microsoft.intunemam.authentication 3"
}
