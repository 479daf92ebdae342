import Testing

/// A log as people paste it, made anew after a public thread: codes, tokens, order and differences of time are those of
/// the thread; names, ids, hashes and the words between are not.
struct PhoneCase: CustomTestStringConvertible {
  /// The thread.
  let source: String
  /// The causes in the order of the input; empty if nothing may be claimed.
  let causes: [Int]
  /// Causes that must be among the candidates if nothing is claimed.
  var candidates: [Int] = []
  let text: String

  var testDescription: String { "\(source): \(causes)" }
}

/// With the SHA-256 of the name.
let alice = "CMARScrubbedIdentity:b75592346a1be8acd9b97ea6b6e7e4b59f385a7bd91a7f788899bf4eaaa4c219"
let bob = "CMARScrubbedIdentity:755ea343a5cb30ad36230a9642928a304976d07125445b0196eb689823747be5"

extension PhoneCase {
  static let decided = ios + msal + android

  private static let ios = [
    PhoneCase(
      source: "ios#434", causes: [1],
      text: """
        5. The delegate of IntuneMAMEnrollment receives the **error code 225- The account is licensed for Intune but is not \
        targeted with MAM policy.**
        """),
    PhoneCase(source: "ios#440", causes: [1], text: "> Intune enrollment\n> Status Code: 225\n> Error String: (cut)"),
    PhoneCase(
      source: "ios#281", causes: [1],
      text: "we get \u{201C}The account is licensed for Intune but is not targeted with MAM policy\u{201D}"),
    PhoneCase(
      source: "ios#128", causes: [1],
      text: """
        IntuneMAM enrollment, each for another user.
        error code-203
        error message-The app should ask for credentials.

        error code-225
        error message-The account is licensed for Intune but is not targeted with MAM policy.
        """),
    PhoneCase(
      source: "ios#527", causes: [16],
      text: """
         IntuneMAM: CMARPolicyCheckInPreReqOperation: Failed to get policy because the user is not the enrolled user.
         IntuneMAM: CMAROperationScheduler: Policy Checkin failed with status code: 214 and error code 0_
        """),
    PhoneCase(
      source: "ios#464", causes: [15],
      text: """
        2026-01-05T10:00:00.100Z\tINFO\t\tcom.example.notes\t0\t\t\t IntuneMAM: enrolling \(alice)
        2026-01-05T10:00:01.200Z\tERRO\t\tcom.example.notes\t0\t\t\t IntuneMAM: CMAROperationScheduler: Enrollment failed \
        with status code 218 and error code 0
        """),
    PhoneCase(
      source: "wrap-ios#55", causes: [15],
      text:
        "2026-01-05T10:00:01.200Z INFO tid=42 id=(nil),ui=(nil),io=(nil) IntuneMAM: Received enrollment result of 210"),
    PhoneCase(
      source: "ios#479", causes: [15], text: "IntuneMAMEnrollmentStatus statusCode = 227; errorString = (null)"),
    PhoneCase(
      source: "ios#20", causes: [23],
      text: """
        I use Intune SDK 9.0.5 now.
        Debug Message: An unknown status code was received with status code 302.
        """),
    PhoneCase(
      source: "ios#464, a later success of another account", causes: [15],
      text: """
        2026-01-05T10:00:00.100Z INFO IntuneMAM: \(bob) Received enrollment result of 100
        2026-01-05T10:00:05.200Z ERRO IntuneMAM: \(alice) Enrollment failed with status code 227 and error code 0
        """),
  ]

  private static let msal = [
    PhoneCase(
      source: "ios#337", causes: [9],
      text: """
        2026-01-05T10:00:00.472Z\tERRO\t\tcom.example.notes\t0\t\t\t IntuneMAM: sign-in failed: Error \
        Domain=com.microsoft.intunemam.authentication Code=3 "(null)"
        2026-01-05T10:00:00.901Z\tERRO\t\tcom.example.notes\t0\t\t\t IntuneMAM: TID=7 MSAL 1.2.9 iOS 16.4 [2026-01-05 \
        10:00:00 - a11ce000-0000-4000-8000-000000000001] Error Domain=MSIDErrorDomain Code=-51118 "(null)"
        2026-01-05T10:00:01.001Z\tERRO\t\tcom.example.notes\t0\t\t\t IntuneMAM: CMAROperationScheduler: Enrollment failed \
        with status code 203 and error code 3
        """),
    PhoneCase(
      source: "apple#2", causes: [9],
      text: """
        Error Domain=MSALErrorDomain Code=-50000 "(null)" UserInfo={MSALErrorDescriptionKey=The scheme is missing, \
        MSALInternalErrorCodeKey=-42001}
        """),
    PhoneCase(
      source: "ios#44", causes: [7],
      text: """
        TID=1042 MSAL 1.1.22 iOS 15.1 [2026-01-05 10:00:00 - a11ce000-0000-4000-8000-000000000002] oauth error \
        invalid_resource: AADSTS650057: Invalid resource. Client app ID: a11ce000-0000-4000-8000-000000000003.
        IntuneMAM: CMAROperationScheduler: Enrollment failed with status code 203 and error code 0
        """),
    PhoneCase(
      source: "ios#29", causes: [8], text: "`AADSTS50011: The reply url specified in the request does not match.`"),
    PhoneCase(
      source: "apple#56", causes: [11],
      text: "Error Domain=MSALErrorDomain Code=-50000 UserInfo={MSALInternalErrorCodeKey=-42700}"),
    PhoneCase(
      source: "msal#1320", causes: [11],
      text: "MSAL 1.1.22 [2026-01-05 10:00:00] Error Domain=MSIDErrorDomain Code=\u{2013}51800 UserInfo={}"),
    PhoneCase(source: "a code and nothing else", causes: [5], text: "AADSTS65001\n"),
    PhoneCase(source: "an internal code and nothing else", causes: [11], text: "-42700\n"),
    PhoneCase(
      source: "Entra list", causes: [6],
      text: """
        > AADSTS650052: The app needs access to a service that your organization lacks.
        > Trace ID: a11ce000-0000-4000-8000-000000000004
        """),
    PhoneCase(
      source: "taskr#13", causes: [5],
      text: """
        I/AuthCallbackUtils(3067): acquireToken failed: AADSTS65001: The user or administrator has not consented
        I/MAMWEAccountRegistry(3067): updating account xxxx;xxxx with status AUTHORIZATION_NEEDED
        """),
    PhoneCase(
      source: "ios#393", causes: [20],
      text: "MSALErrorDomain Code=-50004 UserInfo={MSALErrorDescriptionKey=protection policy required}"),
    PhoneCase(
      source: "android#320", causes: [20],
      text: """
        01-05 10:00:00.100 3067-3067 AuthCallbackUtils com.example.notes W AADSTS53005: app protection
        01-05 10:00:02.100 3067-3067 entNotificationReceiver com.example.notes I Received compliance status notification: \
        CLIENT_ERROR, APP_DID_NOT_PROVIDE_TOKEN
        """),
  ]

  private static let android = [
    PhoneCase(
      source: "android#284", causes: [5, 3],
      text: """
        I/AuthCallbackUtils(30673): error AADSTS65001
        I/MAMWEAccountRegistry(30673): updating account alice@contoso.example;a11ce000 with status AUTHORIZATION_NEEDED
        I/MAMWEAccountRegistry(30673): updating account alice@contoso.example;a11ce000 with status NOT_LICENSED
        I/lineMAMWERetryScheduler(30673): For NOT_LICENSED account User1 using retry interval 43200000 ms (12 hours)
        I/entNotificationReceiver(30673): Received MAM enrollment result for package com.example.notes, user \
        alice@contoso.example;a11ce000: NOT_LICENSED
        """),
    PhoneCase(
      source: "android#158", causes: [3],
      text: """
        2026-01-05 13:14:06.866 16328-16328/com.example.notes I/MAMComponents: no classes, because the MDM package is not \
        installed.
        2026-01-05 13:14:08.214 16328-16400/com.example.notes I/entNotificationReceiver: Received MAM enrollment result for \
        package com.example.notes: NOT_LICENSED
        """),
    PhoneCase(
      source: "android#291", causes: [3],
      text: """
        manager com.microsoft.intune.mam.client.app.offline.OfflineMAMEnrollmentManager@1a2b3c
        MAMWEAccountRegistry   I  updating account {0} with status NOT_LICENSED
        """),
    PhoneCase(
      source: "android#124", causes: [3],
      text: """
        10:00:00.100 MAMComponents I MDM package is not installed
        10:00:03.100 AMEnrollmentManagerImpl I returned result: COMPANY_PORTAL_REQUIRED
        """),
    PhoneCase(
      source: "wrap-ios#55, on Android", causes: [15],
      text: "I/entNotificationReceiver: Received MAM enrollment result for package com.example.notes: WRONG_USER"),
  ]

  static let undecided = [
    PhoneCase(
      source: "ios#540", causes: [], candidates: [13],
      text: "> 3. registerAndEnrollAccount of Intune after acquireToken\n> 4. received status code 203."),
    PhoneCase(
      source: "ios#558", causes: [], candidates: [13],
      text: """
        2026-01-05T10:00:00.472Z ERRO IntuneMAM: CMAROperationScheduler: Enrollment failed with status code 203 and error \
        code 0
        """),
    PhoneCase(
      source: "ios#316", causes: [], candidates: [14],
      text: """
        > 2026-01-05T08:59:45.429Z ERRO <BUNDLE_ID> 0
        > IntuneMAM: CMAROperationScheduler: Enrollment failed with status code 201 and error code 0
        > 2026-01-05T08:59:45.429Z INFO <BUNDLE_ID> 0
        > IntuneMAM: MAM_CHECKPOINT: Received enrollment result of 201 and returning legacy result code of 6
        """),
    PhoneCase(
      source: "android#166", causes: [], candidates: [2, 3, 4],
      text: """
        I/MAMWEAccountRegistry(30673): updating account xxxxxxx;xxxxxxx with status NOT_LICENSED
        I/entNotificationReceiver(30673): Received MAM enrollment result for package xxxxxxx, user xxxxxxx: NOT_LICENSED
        """),
    PhoneCase(
      source: "ios#611", causes: [], candidates: [10],
      text: """
        IntuneMAM: Failed to instantiate MSALPublicClientApplication: Error Domain=MSALErrorDomain Code=-50000 "(null)"
        """),
    PhoneCase(
      source: "ios#456", causes: [], candidates: [12],
      text:
        "TID=7 MSAL 1.1 iOS 15.1 [2026-01-05 10:00:00 - x] Error Domain=MSIDErrorDomain Code=-51100, authority (nil)"),
    PhoneCase(
      source: "ios#210", causes: [], candidates: [2],
      text: "IntuneMAM: CMAROperationScheduler: Enrollment failed with status code 200 and error code 0"),
    PhoneCase(
      source: "ios#515", causes: [], candidates: [19],
      text: #"{"IntuneMAMPolicies": {"PINEnabled": "1", "AppSharingToLevel": 1}, "IntuneMAMPolicyVersion": "7"}"#),
    PhoneCase(
      source: "android#173", causes: [], candidates: [1],
      text:
        "I/entNotificationReceiver: Received MAM enrollment result for package com.example.notes: ENROLLMENT_SUCCEEDED"),
    PhoneCase(
      source: "android#49", causes: [], candidates: [18],
      text: "I/MAMWEAccountRegistry: updating account xxxx;xxxx with status PENDING"),
    PhoneCase(source: "wrap-ios#119", causes: [], candidates: [22], text: "The app shows: Sign-in Failed"),
    PhoneCase(
      source: "ios#337 and #538: noise", causes: [],
      text: """
        2026-01-05T10:00:00.100Z ERRO IntuneMAM: MAM611 Config file not found
        2026-01-05T10:00:00.200Z ERRO IntuneMAM: Is first launch
        2026-01-05T10:00:00.300Z ERRO IntuneMAM: No Device Primary User
        2026-01-05T10:00:00.400Z ERRO IntuneMAM: canOpenURL: failed, error -10814
        2026-01-05T10:00:00.500Z ERRO IntuneMAM: the client is not entitled
        """),
    PhoneCase(
      source: "a failure that healed, like chatr#52", causes: [],
      text: """
        2026-01-05T10:00:00.100Z ERRO IntuneMAM: Enrollment failed with status code 225 and error code 0
        2026-01-05T11:00:00.100Z INFO IntuneMAM: Received enrollment result of 100
        """),
    PhoneCase(
      source: "questions and denials", causes: [],
      text: """
        Intune enrollment: we do not get AADSTS65001.
        Is it error code 225?
        What does status 210 mean, and 214?
        Another app had AADSTS50011, fixed since.
        """),
    PhoneCase(
      source: "numbers that are no statuses", causes: [],
      text: """
        2026-01-05T10:00:00.225Z INFO tid=225 IntuneMAM: HTTP status code: 214, 225 bytes, ***(227)
        2026-01-05T10:00:00.300Z INFO tid=218 IntuneMAM: response status 210 in 218 ms, version 1.227
        MSAL correlation a11ce000-51118-4000-42001-000000042700, port 555-51800
        """),
  ]
}
