import Support
import TestSupport

@testable import Model
@testable import Policy
@testable import Tenancy

/// A question about a value that was drawn without looking at the values of any policy.
struct DrawnQuestion {
  /// What the row that must report a difference is about: the decision and, where several rows have it, its title.
  let key: String
  /// `nil` if the question does not come up.
  let answer: (ComparedShare) -> String?

  private init(_ key: String, _ answer: @escaping (ComparedShare) -> String?) {
    (self.key, self.answer) = (key, answer)
  }

  private static func ask(_ key: String, _ answer: @escaping (ComparedAccounts) -> String) -> DrawnQuestion {
    DrawnQuestion(key) { share in share.policy.map { _ in answer(ComparedAccounts(share)) } }
  }

  static func drawn(_ draw: inout Draw, on platform: DevicePlatform) -> DrawnQuestion {
    switch draw.number(8) {
    case 0: property(&draw)
    case 1: location(&draw)
    case 2: action(&draw)
    case 3: clipboard(&draw)
    case 4: address(&draw, platform)
    case 5: sharing(&draw)
    case 6: pin(&draw)
    default: launch(&draw, platform)
    }
  }

  private typealias Property = (key: String, answer: @Sendable (PolicyQuestions) -> Bool)

  private static let properties: [Property] = [
    ("isContactSyncAllowed", { $0.isContactSyncAllowed.value }),
    ("isWidgetContentSyncAllowed", { $0.isWidgetContentSyncAllowed.value }),
    ("isSpotlightIndexingAllowed", { $0.isSpotlightIndexingAllowed.value }),
    ("areSiriIntentsAllowed", { $0.areSiriIntentsAllowed.value }),
    ("areAppIntentsAllowed", { $0.areAppIntentsAllowed.value }),
    ("isAppSharingAllowed", { $0.isAppSharingAllowed.value }),
    ("isUploadToUnmanagedAllowed", { $0.isUploadToUnmanagedAllowed.value }),
    ("isPasteToUnmanagedAllowed", { $0.isPasteToUnmanagedAllowed.value }),
    ("isManagedBrowserRequired", { $0.isManagedBrowserRequired.value }),
    ("isFileEncryptionRequired", { $0.isFileEncryptionRequired.value }),
    ("shouldFileProviderEncryptFiles", { $0.shouldFileProviderEncryptFiles.value }),
    ("hasSaveRestriction", { $0.hasSaveRestriction.value }),
    ("hasOpenRestriction", { $0.hasOpenRestriction.value }),
  ]

  private static func property(_ draw: inout Draw) -> DrawnQuestion {
    switch draw.number(4) {
    case 0: return ask("notificationPolicy") { "\($0.questions.notificationPolicy.value)" }
    case 1: return DrawnQuestion("protectsUnknownData") { $0.policy.map { "\($0.protectsUnknownData)" } }
    default:
      let property = draw.one(properties)
      return ask(property.key) { "\(property.answer($0.questions))" }
    }
  }

  private static func account(_ draw: inout Draw) -> AccountReference? {
    draw.one([ComparedAccounts.own, ComparedAccounts.other, ComparedAccounts.unmanaged, nil])
  }

  private static func location(_ draw: inout Draw) -> DrawnQuestion {
    let (account, other) = (account(&draw), draw.number(4) == 0)
    if draw.number(2) == 0 {
      let location = draw.one(SaveLocation.allCases)
      return other
        ? ask("receivesFromOthers") {
          "\($0.othersQuestions.isSaveToAllowed(.oneDriveForBusiness, locationAccount: ComparedAccounts.own, in: $0).value)"
        }
        : ask("isSaveToAllowedForLocation") {
          "\($0.questions.isSaveToAllowed(location, locationAccount: account, in: $0).value)"
        }
    }
    let location = draw.one(OpenLocation.allCases)
    return other
      ? ask("sendsToOthers") {
        "\($0.othersQuestions.isOpenFromAllowed(.oneDriveForBusiness, locationAccount: ComparedAccounts.own, in: $0).value)"
      }
      : ask("isOpenFromAllowedForLocation") {
        "\($0.questions.isOpenFromAllowed(location, locationAccount: account, in: $0).value)"
      }
  }

  private static func action(_ draw: inout Draw) -> DrawnQuestion {
    switch draw.number(5) {
    case 0:
      let keyboard = draw.one(["app.a", "app.b", "app.c", "app.d", "app.z"])
      return ask("isKeyboardAllowed") {
        "\($0.questions.isActionAllowed(.thirdPartyKeyboard, keyboard: keyboard, in: $0).value)"
      }
    case 1:
      let mode = draw.one(DocumentPickerMode.allCases)
      return ask("isDocumentPickerAllowed") { "\($0.questions.isDocumentPickerAllowed(mode).value)" }
    case 2:
      let owner = account(&draw)
      return ask("canReceive") { "\($0.questions.canReceive(from: owner, in: $0).value)" }
    case 3: return ask("canSend") { "\($0.othersQuestions.canReceive(from: ComparedAccounts.own, in: $0).value)" }
    default:
      let action = draw.one(EnforcedAction.allCases)
      return ask("isActionAllowed") { "\($0.questions.isActionAllowed(action, in: $0).value)" }
    }
  }

  private static func clipboard(_ draw: inout Draw) -> DrawnQuestion {
    let content =
      draw.number(5) == 0
      ? ClipboardContent.data(Array(repeating: 7, count: draw.number(40)))
      : .text(String(repeating: "y", count: draw.number(40)))
    let (owner, isOfThisApp) = (account(&draw), draw.number(4) == 0)
    switch draw.number(3) {
    case 0: return ask("copying") { "\($0.questions.copying(content).value)" }
    case 1:
      return ask("pasting") { "\($0.questions.pasting(content, of: owner, isOfThisApp: isOfThisApp, in: $0).value)" }
    default:
      return ask("pasting") { "\($0.othersQuestions.pasting(content, of: ComparedAccounts.own, in: $0).value)" }
    }
  }

  private static func address(_ draw: inout Draw, _ platform: DevicePlatform) -> DrawnQuestion {
    let isManaged = draw.number(2) == 0
    let host = draw.one(["contoso.example", "x.contoso.example", "q.b.example", "ab.example:8443", "c.example"])
    let web = draw.one(["http", "https"]) + "://" + host + draw.one(["", "/", "/a", "/ab", "/x", "/z"])
    let scheme = draw.one([
      "tel", "telprompt", "sms", "mailto", "skype", "acme", "acmes", "microsoft-edge", "app.d", "other", "itms",
    ])
    let package = draw.one(["app.a", "app.b", "app.c", "app.d", "app.z", "com.android.vending", "com.android.phone"])
    let others = [scheme + ":12345", scheme + "://x.example/y"]
    let packages = ["intent:x#Intent;package=\(package);end", "android-app://\(package)/x"]
    let isWeb = draw.number(2) == 0
    let text = isWeb ? web : draw.one(others + (platform == .android ? packages : []))
    let url = AbsoluteURL(text) ?? .blank
    switch draw.number(3) {
    case 0: return ask("isURLAllowed") { "\($0.questions.isURLAllowed(url, toManagedApp: isManaged).value)" }
    case 1: return ask("isUniversalLinkAllowed") { "\($0.questions.isUniversalLinkAllowed(url).value)" }
    default:
      return ask("openURL") {
        let opening = $0.questions.opening(url, toManagedApp: isManaged).value
        return "\(opening.action) \(opening.package ?? "") \(opening.action == .rewrite ? opening.url.scheme : "")"
      }
    }
  }

  private static func sharing(_ draw: inout Draw) -> DrawnQuestion {
    let (isMDM, account) = (draw.number(2) == 0, account(&draw))
    switch draw.number(4) {
    case 0: return ask("encryptsSharedData") { "\($0.questions.shareTargets([], isMDM: isMDM, in: $0).value.encrypts)" }
    case 1:
      let target = ShareTarget(id: draw.one(["app.a", "app.z"]), managed: true, account: ComparedAccounts.own)
      return ask("receivesShares") {
        "\($0.othersQuestions.shareTargets([target], isMDM: isMDM, in: $0).value.targets.isEmpty)"
      }
    default:
      let app = draw.one(["app.a", "app.c", "app.d", "app.z", "com.android.phone"])
      let target = ShareTarget(id: app, managed: draw.number(2) == 0, account: account)
      return ask("filterShareTargets") {
        "\($0.questions.shareTargets([target], isMDM: isMDM, in: $0).value.targets.count)"
      }
    }
  }
}

/// A PIN as drawn.
private struct DrawnPIN: PINRecord {
  var tries = 0
  var setAt = QuestionFacts.now
  var typedAt = QuestionFacts.now
  var isSet: Bool { true }
  var activeAt: Timestamp { typedAt }
  var unfitForm: String { "" }
}

extension DrawnQuestion {
  private static func ofPIN(_ key: String, _ answer: @escaping (PINRules, ComparedShare) -> String) -> DrawnQuestion {
    DrawnQuestion(key) { share in
      share.policy.flatMap { policy in policy.isPINRequired ? answer(policy.pin, share) : nil }
    }
  }

  private static func pin(_ draw: inout Draw) -> DrawnQuestion {
    let now = QuestionFacts.now
    let past = now.advanced(by: -Int64(draw.number(410)) * 86_400_000 - Int64(draw.number(86_400_000)))
    switch draw.number(8) {
    case 0:
      let device = draw.one([DevicePIN.notSet, .setByUser, .setOnManagedDevice])
      return ask("isPINRequired") { "\($0.questions.isPINRequired(device).value)" }
    case 1:
      // Longer than every drawn minimum, so that only the characters decide.
      let alphabet = draw.one([
        "0123456789", "13579", "abcxyzABC", "acegik", "aceg1357", "aceg!#", "ace135!#", "1!2#", "é漢٣",
      ])
      let text = String((0..<(20 + draw.number(20))).map { _ in draw.one(Array(alphabet)) })
      return ofPIN("pinForm") { rules, _ in
        "\(Array(text.utf8).withUnsafeBytes { rules.form.fault(of: PINTraits(utf8: $0)) } == nil)"
      }
    case 2:
      let length = draw.number(20)
      return ofPIN("pinLength") { rules, _ in length == 0 ? "" : "\(rules.isLongEnough(length))" }
    case 3: return ofPIN("pinHistory") { rules, _ in "\(rules.blockedPrevious)" }
    case 4:
      let pin = DrawnPIN(tries: draw.number(8))
      return ofPIN("wrongPINs") { rules, _ in rules.isExhausted(pin) ? "\(rules.exhaustion)" : "another try" }
    case 5: return ofPIN("pinAge") { rules, _ in "\(rules.hasExpired(DrawnPIN(setAt: past), at: now))" }
    case 6:
      let last = Activity(since: past, usedAt: past)
      return DrawnQuestion("recheck") { $0.policy.map { "\(last.isOver(at: now, $0.launch.recheckAfter))" } }
    default: return biometrics(&draw, past)
    }
  }

  /// The PIN was set just now, and entered and used at other times: its age is a question of its own.
  private static func biometrics(_ draw: inout Draw, _ past: Timestamp) -> DrawnQuestion {
    let biometric = draw.one(Biometric.allCases)
    var device = Device()
    device.biometricClass = draw.one([nil, .class1, .class2, .class3])
    device.biometricsChangedAt = draw.one([nil, past.advanced(by: -1), past, QuestionFacts.now])
    let used = draw.one([past, nil, past.advanced(by: -86_400_000)])
    return ofPIN("biometrics") { rules, share in
      var device = device
      device.platform = share.platform
      let pin = DrawnPIN(typedAt: past)
      let found = rules.biometrics(replacing: pin, lastUsedAt: used, on: device, at: QuestionFacts.now)
      return "\(found.contains(biometric))"
    }
  }
}

extension DrawnQuestion {
  /// Facts of which each is drawn, whatever the question is about.
  private static func facts(_ draw: inout Draw) -> QuestionFacts {
    var facts = QuestionFacts()
    let version = "\(draw.number(20)).\(draw.number(20)).\(draw.number(3))"
    facts.device.osVersion = draw.one([nil, "9", "11.5", "12.0", version, version])
    facts.device.appVersion = draw.one([nil, "\(draw.number(20)).\(draw.number(20))"])
    facts.device.sdkVersion = "\(draw.number(20)).\(draw.number(20))"
    facts.device.threatLevel = draw.one(DeviceThreatLevel.allCases)
    facts.device.model = draw.one([nil, "m1", "m2", "m3", "m4"])
    facts.device.manufacturer = draw.one([nil, "m1", "m2", "m4", "samsung", "Samsung"])
    facts.device.jailbroken = draw.number(2) == 0
    facts.device.knoxAttested = draw.one([nil, true, false])
    facts.device.developerOptionsEnabled = draw.one([nil, true, false])
    if draw.number(3) > 0 { facts.device.devicePinSet = draw.number(2) == 0 }
    facts.device.passcodeComplexity = draw.one([nil] + PasscodeComplexity.allCases)
    facts.device.networkAvailable = draw.number(2) == 0
    facts.secondsSinceContact = Int64(draw.number(410)) * 86_400 + Int64(draw.number(86_400))
    facts.isSignInRefused = draw.number(2) == 0
    facts.isSignedIn = draw.number(2) == 0
    facts.clockStatus = draw.one(ClockStatus.allCases)
    facts.secondsOfStatus = Int64(draw.number(410)) * 86_400 + Int64(draw.number(86_400))
    return facts
  }

  private static let offline: Set<SettingName> = [.periodOfflineBeforeWipeIsEnforced, .periodOfflineBeforeAccessCheck]

  private static func launch(_ draw: inout Draw, _ platform: DevicePlatform) -> DrawnQuestion {
    let facts = facts(&draw)
    let isBack = draw.number(2) == 0
    let away = facts.device.networkAvailable ? "offline for" : "offline without a network for"
    let back = facts.isSignInRefused ? "online again, sign-in refused, offline" : "online again, offline"
    let topics: [(String, Set<SettingName>)] = [
      (
        "osVersion",
        [
          .minimumWipeOsVersion, .minimumRequiredOsVersion, .minimumWarningOsVersion, .maximumWipeOsVersion,
          .maximumRequiredOsVersion, .maximumWarningOsVersion,
        ]
      ),
      ("appVersion", [.minimumWipeAppVersion, .minimumRequiredAppVersion, .minimumWarningAppVersion]),
      ("sdkVersion", [.minimumWipeSdkVersion, .minimumRequiredSdkVersion, .minimumWarningSdkVersion]),
      ("jailbroken", [.deviceComplianceRequired]), ("threatLevel", [.maximumAllowedDeviceThreatLevel]),
      ("model", [.allowedIosDeviceModels, .allowedAndroidDeviceModels]),
      ("manufacturer", [.allowedAndroidDeviceManufacturers]),
      ("developerOptionsEnabled", [.appActionIfDeveloperOptionsEnabled]),
      ("knoxAttested", [.appActionIfSamsungKnoxAttestationRequired]),
      (
        "the device has",
        [
          .deviceLockRequired, .appActionIfDevicePasscodeComplexityLessThanLow,
          .appActionIfDevicePasscodeComplexityLessThanMedium, .appActionIfDevicePasscodeComplexityLessThanHigh,
        ]
      ), (isBack ? back : away, offline), (isBack ? back : away, offline),
      ("the account is disabled", [.appActionIfUnableToAuthenticateUser]),
      ("the user has not signed in", [.organizationalCredentialsRequired]),
      ("clock status \(facts.clockStatus.rawValue) for", [.appActionIfAccountIsClockedOut]),
    ]
    let (title, settings) = draw.one(topics)
    return DrawnQuestion("conditionalLaunch \(title)") { share in
      share.policy.map { policy in
        var facts = facts
        if settings == offline, isBack {
          // Whether a sign-in is due depends on the policy that applied when the app came back.
          facts.isSignInDue = policy.launch.wipesAfter.map { $0.seconds <= facts.secondsSinceContact } ?? false
          facts.secondsSinceContact = 0
        }
        let findings = policy.launch.findings(facts.facts(on: platform))
        let found = findings.filter { $0.setting.map(settings.contains) ?? false }
        return "\(LaunchEnd(found).verdict) \(found.contains { $0.outcome == .challenge })"
      }
    }
  }
}
