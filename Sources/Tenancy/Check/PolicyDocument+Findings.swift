import Model
import Policy

extension PolicyDocument {
  /// What within one policy cannot be meant.
  var findings: [TenantFinding] {
    let schemes = schemeSettings.flatMap { name, schemes in schemes.compactMap { bundleID($0, among: name) } }
    return schemes + ladders.flatMap(findings) + rangeFindings + offlineFindings
  }

  private var schemeSettings: [(SettingName, [String])] {
    let named: [SettingName] = [.customBrowserProtocol, .customDialerAppProtocol, .messagingRedirectAppUrlScheme]
    return [(.exemptedAppProtocols, settings[.exemptedAppProtocols]?.pairsValue?.schemes ?? [])]
      + named.map { ($0, settings[$0]?.stringValue.map { [$0] } ?? []) }
  }

  /// A scheme may have dots, but none of an app that is known does.
  private func bundleID(_ scheme: String, among name: SettingName) -> TenantFinding? {
    guard scheme.prefix(while: { $0 != ":" }).contains(".") else { return nil }
    return finding(
      .bundleIdAmongSchemes, name, "\"\(scheme)\" looks like the bundle id of an app; schemes such as \"skype\" count")
  }

  private func finding(_ kind: TenantFinding.Kind, _ name: SettingName, _ text: String) -> TenantFinding {
    TenantFinding(kind, source, policy: id, member: name.rawValue, text: text)
  }

  private func version(_ name: SettingName) -> VersionNumber? { settings[name]?.versionValue }
}

/// The versions at which one thing is warned of, blocked and wiped.
private struct VersionLadder {
  /// From mild to harsh.
  let names: [SettingName]
  let isMaximum: Bool

  static let minima: [[SettingName]] = [
    [.minimumWarningOsVersion, .minimumRequiredOsVersion, .minimumWipeOsVersion],
    [.minimumWarningAppVersion, .minimumRequiredAppVersion, .minimumWipeAppVersion],
    [.minimumWarningSdkVersion, .minimumRequiredSdkVersion, .minimumWipeSdkVersion],
  ]
  static let maxima: [SettingName] = [.maximumWarningOsVersion, .maximumRequiredOsVersion, .maximumWipeOsVersion]
}

extension PolicyDocument {
  private var ladders: [VersionLadder] {
    VersionLadder.minima.map { VersionLadder(names: $0, isMaximum: false) }
      + [VersionLadder(names: VersionLadder.maxima, isMaximum: true)]
  }

  /// What is below a minimum is also below every higher one, so the harsher must be the lower one.
  private func findings(_ ladder: VersionLadder) -> [TenantFinding] {
    let steps = ladder.names.compactMap { name in version(name).map { (name, $0) } }
    return zip(steps, steps.dropFirst()).compactMap { mild, harsh in
      guard ladder.isMaximum ? harsh.1 <= mild.1 : harsh.1 >= mild.1 else { return nil }
      let order = ladder.isMaximum ? "not above" : "not below"
      return finding(
        .unreachableAction, harsh.0,
        "\(harsh.1) is \(order) \(mild.0.rawValue) (\(mild.1)), whose action is therefore never taken")
    }
  }

  private var rangeFindings: [TenantFinding] {
    guard let minimum = version(.minimumRequiredOsVersion), let maximum = version(.maximumRequiredOsVersion),
      minimum > maximum
    else { return [] }
    let text = "\(minimum) is above maximumRequiredOsVersion (\(maximum)): every device is blocked"
    return [finding(.impossibleVersion, .minimumRequiredOsVersion, text)]
  }

  private var offlineFindings: [TenantFinding] {
    guard let block = settings[.periodOfflineBeforeAccessCheck]?.durationValue,
      let wipe = settings[.periodOfflineBeforeWipeIsEnforced]?.durationValue, wipe.seconds > 0, wipe <= block
    else { return [] }
    let text = "\(wipe) is not above periodOfflineBeforeAccessCheck (\(block)), whose action is therefore never taken"
    return [finding(.unreachableAction, .periodOfflineBeforeWipeIsEnforced, text)]
  }
}
