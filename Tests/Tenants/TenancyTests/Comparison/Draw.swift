import TestSupport

@testable import Model
@testable import Policy

/// Draws policies. The same seed draws the same ones.
struct Draw {
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
    // Most questions about a PIN come up only if there must be one.
    case .pinRequired: return .bool(number(5) > 0)
    case .minimumPinLength: return .integer(Int64(number(12)))
    case .maximumPinRetries, .previousPinBlockCount: return .integer(Int64(number(6)))
    case .allowedOutboundClipboardSharingExceptionLength: return .integer(Int64(number(30)))
    default: return definition.read(graph: definition.type.random(&random)).value
    }
  }

  /// One to three policies, each with some settings.
  mutating func policies(_ kind: PolicyKind) -> [[SettingName: SettingValue]] {
    (0..<(1 + max(0, number(5) - 2))).map { _ in settings(kind) }
  }

  /// Some settings of some policies have another value, or none; one policy may be new or gone.
  mutating func changed(
    _ policies: [[SettingName: SettingValue]], _ kind: PolicyKind
  ) -> [[SettingName: SettingValue]] {
    var changed = policies
    let index = number(changed.count)
    changed[index] = self.changed(changed[index], kind)
    switch number(6) {
    case 0: changed.append(settings(kind))
    case 1 where changed.count > 1: changed.removeLast()
    default: break
    }
    return changed
  }

  mutating func settings(_ kind: PolicyKind) -> [SettingName: SettingValue] {
    var settings: [SettingName: SettingValue] = [:]
    for definition in SettingDefinition.all
    where definition.kinds.contains(kind) && definition.role.decides && number(3) == 0 {
      settings[definition.name] = value(definition)
    }
    if number(4) > 0 { settings[.pinRequired] = .bool(true) }
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
    // This setting counts only if data may come from all apps, so that it would decide too rarely to be drawn.
    if number(6) == 0, definitions.contains(where: { $0.name == .protectInboundDataFromUnknownSources }) {
      changed[.allowedInboundDataTransferSources] = .word("allApps")
      changed[.protectInboundDataFromUnknownSources] = .bool(number(2) == 0)
    }
    return changed
  }
}
