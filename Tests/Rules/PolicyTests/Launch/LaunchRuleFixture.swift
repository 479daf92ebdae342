import JSON
import Support
import Testing

@testable import Model
@testable import Policy

/// What a host tells of its device; not the device of keys and files that other tests make.
typealias ToldDevice = Model.Device

/// Compares rules with a device, without a core.
enum LaunchRuleFixture {
  static let now = Timestamp(milliseconds: 1_780_000_000_000)

  static func policy(_ text: String, _ kind: PolicyKind = .ios, on platform: DevicePlatform) throws -> EffectivePolicy {
    let document = try PolicyDocument.of("policy", kind, text)
    return try #require(EffectivePolicy(merging: [document], platform: platform))
  }

  /// What the rules of a policy find; nothing stands against an account that `facts` says nothing of.
  static func findings(
    _ text: String, _ device: ToldDevice, _ account: LaunchAccount = LaunchAccount(), kind: PolicyKind = .ios
  ) throws -> [LaunchFinding] {
    let rules = LaunchRules(try policy(text, kind, on: device.platform))
    return rules.findings(account.facts(device))
  }
}

/// What rules compare beside the device.
struct LaunchAccount: Sendable {
  var contactedAgo: Int64 = 0
  var isSignInRefused = false
  var signInDue: Timestamp?
  var signedIn: Timestamp?
  var isSignInFresh = true
  var clockStatus = ClockStatus.clockedIn
  var clock: ClockEntry?
  var appStore: String?

  func facts(_ device: ToldDevice) -> LaunchFacts {
    let now = LaunchRuleFixture.now
    return LaunchFacts(
      now: now, device: device, contactedAt: now.advanced(by: -contactedAgo * 60_000),
      isSignInRefused: isSignInRefused, signInDueAt: signInDue, signedInAt: signedIn, isSignInFresh: isSignInFresh,
      clockStatus: clockStatus, clock: clock, appStore: appStore)
  }
}

extension ToldDevice {
  init(_ platform: DevicePlatform = .ios, _ change: (inout ToldDevice) -> Void = { _ in }) {
    self.init()
    self.platform = platform
    change(&self)
  }
}
