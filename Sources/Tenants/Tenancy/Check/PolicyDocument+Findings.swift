import Model
import Policy

extension PolicyDocument {
  /// Settings of one policy that the administrator cannot have meant.
  var findings: [TenantFinding] {
    let schemes = schemeSettings.flatMap { name, schemes in schemes.compactMap { bundleID($0, among: name) } }
    return schemes + exemptionFindings + ladders.flatMap(findings) + rangeFindings + offlineFindings + voidFindings
  }

  private var voidFindings: [TenantFinding] {
    voidSettings.map { finding(.voidSetting, $0.name, "has no effect, because \($0.reason)") }
  }

  private var schemeSettings: [(SettingName, [String])] {
    let named: [SettingName] = [.customBrowserProtocol, .customDialerAppProtocol, .messagingRedirectAppUrlScheme]
    return [(.exemptedAppProtocols, settings[.exemptedAppProtocols]?.pairsValue?.schemes ?? [])]
      + named.map { ($0, settings[$0]?.stringValue.map { [$0] } ?? []) }
  }

  /// A scheme may contain dots, but the scheme of no known app does.
  private func bundleID(_ scheme: String, among name: SettingName) -> TenantFinding? {
    guard scheme.prefix(while: { $0 != ":" }).contains(".") else { return nil }
    return finding(
      .bundleIdAmongSchemes, name, "\"\(scheme)\" looks like an app's bundle id; use a URL scheme such as \"skype\"")
  }

  /// An exempt scheme opens in any app, although another setting restricts the apps for it.
  private var exemptionFindings: [TenantFinding] {
    exemptionsThatWin.map { scheme, setting in
      finding(
        .exemptionWins, .exemptedAppProtocols,
        "exempts \(scheme), so \(setting.rawValue) has no effect on \(scheme) addresses: every app may open them. To "
          + "restrict them, remove \(scheme) from the exemptions")
    }
  }

  private func finding(_ kind: TenantFinding.Kind, _ name: SettingName, _ text: String) -> TenantFinding {
    TenantFinding(kind, source, policy: id, member: name.rawValue, text: text)
  }

  private func version(_ name: SettingName) -> VersionNumber? { settings[name]?.versionValue }
}

/// The versions below or above which a launch rule warns, blocks and wipes.
private struct VersionLadder {
  /// From the mildest action to the harshest.
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

  /// A version below a minimum is also below every higher minimum, so the minimum of a harsher action must be lower.
  private func findings(_ ladder: VersionLadder) -> [TenantFinding] {
    let steps = ladder.names.compactMap { name in version(name).map { (name, $0) } }
    return zip(steps, steps.dropFirst()).compactMap { mild, harsh in
      guard ladder.isMaximum ? harsh.1 <= mild.1 : harsh.1 >= mild.1 else { return nil }
      let order = ladder.isMaximum ? "not above" : "not below"
      return finding(
        .unreachableAction, harsh.0,
        "\(harsh.1) is \(order) \(mild.0.rawValue) (\(mild.1)), so \(mild.0.rawValue) never takes effect")
    }
  }

  private var rangeFindings: [TenantFinding] {
    guard let minimum = version(.minimumRequiredOsVersion), let maximum = version(.maximumRequiredOsVersion),
      minimum > maximum
    else { return [] }
    let text = "\(minimum) is above maximumRequiredOsVersion (\(maximum)), so every device is blocked"
    return [finding(.impossibleVersion, .minimumRequiredOsVersion, text)]
  }

  private var offlineFindings: [TenantFinding] {
    guard let block = settings[.periodOfflineBeforeAccessCheck]?.durationValue,
      let wipe = settings[.periodOfflineBeforeWipeIsEnforced]?.durationValue, wipe.seconds > 0, wipe <= block
    else { return [] }
    let name = SettingName.periodOfflineBeforeAccessCheck.rawValue
    let text = "\(wipe) is not above \(name) (\(block)), so \(name) never takes effect"
    return [finding(.unreachableAction, .periodOfflineBeforeWipeIsEnforced, text)]
  }
}
