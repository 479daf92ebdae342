import JSON
import TestSupport
import Testing

@testable import Model
@testable import Policy
@testable import Support
@testable import Tenancy

/// Compares what the questions find with what is found by asking about values that are drawn without looking at them.
@Suite struct ComparisonPropertyTests {
  private struct Draw {
    var random: SeededGenerator

    mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    mutating func one<Value>(_ values: [Value]) -> Value { values[number(values.count)] }

    mutating func value(_ definition: SettingDefinition) -> SettingValue? {
      switch definition.name {
      case .managedUniversalLinks, .exemptedUniversalLinks:
        return .strings([
          one(["*.contoso.example", "https://contoso.example/a*", "*.b.example/x", "a*.example:8443", "https://*"])
        ])
      case .approvedKeyboards, .exemptedAppPackages, .exemptedAppProtocols:
        return .pairs([
          KeyValuePair(name: one(["app.a", "app.b"]), value: one(["app.c", "skype;app.d", "tel", "sms"]))
        ])
      case .customBrowserProtocol, .customDialerAppProtocol, .messagingRedirectAppUrlScheme:
        return .string(one(["skype", "acme", "acme://"]))
      case .customBrowserPackageId, .customDialerAppPackageId, .messagingRedirectAppPackageId:
        return .string(one(["app.a", "app.d"]))
      case .allowedIosDeviceModels, .allowedAndroidDeviceModels, .allowedAndroidDeviceManufacturers:
        return .strings([one(["m1", "m2"]), one(["m2", "m3"])])
      case .minimumPinLength: return .integer(Int64(number(12)))
      case .maximumPinRetries, .previousPinBlockCount: return .integer(Int64(number(6)))
      case .allowedOutboundClipboardSharingExceptionLength: return .integer(Int64(number(30)))
      default: return definition.read(graph: definition.type.random(&random)).value
      }
    }

    mutating func settings(_ kind: PolicyKind) -> [SettingName: SettingValue] {
      var settings: [SettingName: SettingValue] = [:]
      for definition in SettingDefinition.all
      where definition.kinds.contains(kind) && definition.role.decides && number(3) == 0 {
        settings[definition.name] = value(definition)
      }
      return settings
    }

    /// Some of them have another value, or none.
    mutating func changed(_ settings: [SettingName: SettingValue], _ kind: PolicyKind) -> [SettingName: SettingValue] {
      let definitions = SettingDefinition.all.filter { $0.kinds.contains(kind) && $0.role.decides }
      var changed = settings
      for _ in 0...number(5) {
        let definition = one(definitions)
        changed[definition.name] = value(definition)
      }
      return changed
    }
  }

  private static func content(_ settings: [SettingName: SettingValue], _ kind: PolicyKind) -> ShareContent {
    let document = PolicyDocument(id: "T_1", kind: kind, source: "-", settings: settings)
    return ShareContent(policies: [.init(document: document, isBlocking: false)])
  }

  /// A drawn question: the decision of the row that must report a difference, and the answer.
  private static func probe(_ draw: inout Draw, _ platform: DevicePlatform) -> (String, (ComparedShare) -> String?) {
    func ask(_ answer: @escaping (ComparedAccounts) -> String) -> (ComparedShare) -> String? {
      { share in share.policy.map { _ in answer(ComparedAccounts(share)) } }
    }
    let account = draw.one([ComparedAccounts.own, ComparedAccounts.other, ComparedAccounts.unmanaged, nil])
    switch draw.number(15) {
    case 0:
      let location = draw.one(SaveLocation.allCases)
      return (
        "isSaveToAllowedForLocation",
        ask { "\($0.questions.isSaveToAllowed(location, locationAccount: account, in: $0).value)" }
      )
    case 1:
      let location = draw.one(OpenLocation.allCases)
      return (
        "isOpenFromAllowedForLocation",
        ask { "\($0.questions.isOpenFromAllowed(location, locationAccount: account, in: $0).value)" }
      )
    case 2:
      let keyboard = draw.one(["app.a", "app.b", "app.c", "app.d", "app.z"])
      return (
        "isKeyboardAllowed",
        ask { "\($0.questions.isActionAllowed(.thirdPartyKeyboard, keyboard: keyboard, in: $0).value)" }
      )
    case 3:
      let action = draw.one(EnforcedAction.allCases)
      return ("isActionAllowed", ask { "\($0.questions.isActionAllowed(action, in: $0).value)" })
    case 4:
      let text = ClipboardContent.text(String(repeating: "y", count: draw.number(40)))
      return ("copying", ask { "\($0.questions.copying(text).value)" })
    case 5:
      let text = ClipboardContent.text(String(repeating: "y", count: draw.number(40)))
      return ("pasting", ask { "\($0.questions.pasting(text, of: account, in: $0).value)" })
    case 6:
      let scheme = draw.one(["http", "https", "tel", "sms", "skype", "acme", "acmes", "mailto", "other", "app.d"])
      let url = AbsoluteURL(scheme + "://x.example/y") ?? .blank
      let isManaged = draw.number(2) == 0
      return ("isURLAllowed", ask { "\($0.questions.isURLAllowed(url, toManagedApp: isManaged).value)" })
    case 7:
      let package = draw.one(["app.a", "app.b", "app.c", "app.d", "app.z", "com.android.vending"])
      let url = AbsoluteURL("intent:x#Intent;package=\(package);end") ?? .blank
      return ("isURLAllowed", ask { "\($0.questions.isURLAllowed(url, toManagedApp: false).value)" })
    case 8:
      let host = draw.one(["contoso.example", "x.contoso.example", "q.b.example", "ab.example:8443", "c.example"])
      let url = AbsoluteURL(draw.one(["http", "https"]) + "://" + host + draw.one(["", "/", "/a", "/ab", "/x", "/z"]))
      return ("isUniversalLinkAllowed", ask { "\($0.questions.isUniversalLinkAllowed(url ?? .blank).value)" })
    case 9:
      return (
        "filterShareTargets",
        {
          let target = ShareTarget(
            id: draw.one(["app.a", "app.c", "app.d", "app.z"]), managed: draw.number(2) == 0, account: account)
          return ask { "\($0.questions.shareTargets([target], isMDM: false, in: $0).value.targets.count)" }
        }()
      )
    default: return launchProbe(&draw, platform)
    }
  }

  private static func launchProbe(
    _ draw: inout Draw, _ platform: DevicePlatform
  ) -> (String, (ComparedShare) -> String?) {
    var facts = QuestionFacts()
    var settings: Set<SettingName> = []
    switch draw.number(7) {
    case 0:
      facts.device.osVersion = "\(draw.number(20)).\(draw.number(20)).\(draw.number(3))"
      settings = [
        .minimumWipeOsVersion, .minimumRequiredOsVersion, .minimumWarningOsVersion, .maximumWipeOsVersion,
        .maximumRequiredOsVersion, .maximumWarningOsVersion,
      ]
    case 1:
      facts.device.appVersion = "\(draw.number(20)).\(draw.number(20))"
      settings = [.minimumWipeAppVersion, .minimumRequiredAppVersion, .minimumWarningAppVersion]
    case 2:
      facts.device.threatLevel = draw.one(DeviceThreatLevel.allCases)
      settings = [.maximumAllowedDeviceThreatLevel]
    case 3:
      facts.device.model = draw.one(["m1", "m2", "m3", "m4"])
      settings = [.allowedIosDeviceModels, .allowedAndroidDeviceModels]
    case 4:
      facts.secondsSinceContact = Int64(draw.number(410)) * 86_400 + Int64(draw.number(86_400))
      facts.device.networkAvailable = draw.number(2) == 0
      settings = [.periodOfflineBeforeWipeIsEnforced, .periodOfflineBeforeAccessCheck]
    case 5:
      facts.device.devicePinSet = draw.number(2) == 0
      if draw.number(2) == 0 { facts.device.passcodeComplexity = draw.one(PasscodeComplexity.allCases) }
      facts.device.osVersion = draw.one([nil, "9", "11.5", "12.0", "14"])
      settings = [
        .deviceLockRequired, .appActionIfDevicePasscodeComplexityLessThanLow,
        .appActionIfDevicePasscodeComplexityLessThanMedium, .appActionIfDevicePasscodeComplexityLessThanHigh,
      ]
    default:
      facts.clockStatus = draw.one(ClockStatus.allCases)
      facts.secondsOfStatus = Int64(draw.number(410)) * 86_400
      settings = [.appActionIfAccountIsClockedOut]
    }
    let (wanted, known) = (settings, facts)
    return (
      "conditionalLaunch",
      { share in
        share.policy.map { policy in
          let found = policy.launch.findings(known.facts(on: platform)).filter {
            $0.setting.map(wanted.contains) ?? false
          }
          return "\(LaunchEnd(found).verdict) \(found.contains { $0.outcome == .challenge })"
        }
      }
    )
  }

  /// The decisions of which some drawn value has another answer, and the decisions with a row.
  private static func decisions(_ seed: UInt64) throws -> (differing: Set<String>, found: Set<String>) {
    var draw = Draw(random: SeededGenerator(state: seed))
    let kind = draw.one([PolicyKind.ios, .ios, .android, .windows])
    let platform = try #require(kind.platforms.first)
    let settings = draw.settings(kind)
    let (old, new) = (content(settings, kind), content(draw.changed(settings, kind), kind))
    let shares = (ComparedShare(old, on: platform), ComparedShare(new, on: platform))
    var differing: Set<String> = []
    for _ in 0..<600 {
      let (decision, answer) = probe(&draw, platform)
      if answer(shares.0) != answer(shares.1) { differing.insert(decision) }
    }
    return (differing, Set(AnswerChanges(shares.0, shares.1).changes.map(\.questions.decision)))
  }

  @Test("each answer that differs for a drawn value is told, whatever the value", arguments: 0..<40)
  func completeness(seed: UInt64) throws {
    let decisions = try Self.decisions(seed)
    #expect(decisions.differing.subtracting(decisions.found) == [])
  }

  @Test("the drawn values find differences of every decision that they are about")
  func coverage() throws {
    let differing = try (100..<200).reduce(into: Set<String>()) { $0.formUnion(try Self.decisions($1).differing) }
    #expect(
      differing == [
        "isSaveToAllowedForLocation", "isOpenFromAllowedForLocation", "isKeyboardAllowed", "isActionAllowed", "copying",
        "pasting", "isURLAllowed", "isUniversalLinkAllowed", "filterShareTargets", "conditionalLaunch",
      ])
  }

  @Test("the causes restore the old answer, and no smaller set of changes does", arguments: 0..<12)
  func causes(seed: UInt64) throws {
    var draw = Draw(random: SeededGenerator(state: seed &+ 1_000))
    let settings = draw.settings(.ios)
    let (old, new) = (Self.content(settings, .ios), Self.content(draw.changed(settings, .ios), .ios))
    let shares = (ComparedShare(old, on: .ios), ComparedShare(new, on: .ios))
    var search = CauseSearch(from: old, to: new, on: .ios)
    let all = old.changes(to: new)
    for questions in ContentComparison.questions(shares.0, shares.1) {
      for index in 0..<questions.count {
        let (before, after) = (questions.answer(shares.0, index), questions.answer(shares.1, index))
        guard before != after else { continue }
        let causes = search.smallest(of: questions, at: index, restoring: before)
        func restores(_ changes: [ContentChange]) -> Bool {
          questions.answer(ComparedShare(new.takingBack(changes, to: old), on: .ios), index) == before
        }
        #expect(restores(causes) && !causes.isEmpty)
        for set in 1..<(1 << all.count) where set.nonzeroBitCount < causes.count {
          #expect(!restores(all.indices.filter { set & (1 << $0) != 0 }.map { all[$0] }))
        }
      }
    }
  }

  @Test("equal contents have no difference, whatever they contain", arguments: 0..<10)
  func equality(seed: UInt64) throws {
    var draw = Draw(random: SeededGenerator(state: seed))
    let content = Self.content(draw.settings(.android), .android)
    let share = ComparedShare(content, on: .android)
    let comparison = AnswerChanges(share, share)
    #expect(comparison.changes.isEmpty && comparison.count > 100)
  }
}
