import PropertyList

/// Checks the keychain groups in the entitlements: the app's own group must be first, and the SDK needs two more.
enum KeychainGroups {
  private static let entitlement: PropertyListPath = ["keychain-access-groups"]
  private static let prefix = "$(AppIdentifierPrefix)"
  private static let store = "com.microsoft.intune.mam"
  private static let cache = "com.microsoft.adalcache"

  static func findings(of bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    let groups = try bundle.entitlements.strings(at: entitlement).map(Group.init)
    let cache = bundle.setting("ADALCacheKeychainGroupOverride")?.stringValue ?? Self.cache
    let texts = [first(of: groups, in: bundle)] + [store, cache].map { missing($0, in: groups) }
    return texts.compactMap { $0 }.map { bundle.entitlements.manual(entitlement.description, $0) }
  }

  private static func missing(_ name: String, in groups: [Group]) -> String? {
    guard let group = groups.first(where: { $0.name == name }) else { return "add \(prefix)\(name)" }
    return group.hasPrefix ? nil : "write \(name) as \(prefix)\(name)"
  }

  private static func first(of groups: [Group], in bundle: Bundle) -> String? {
    let id = bundle.isExtension ? nil : bundle.info.root["CFBundleIdentifier"]?.stringValue
    let expected = "\(prefix)\(id ?? "$(PRODUCT_BUNDLE_IDENTIFIER)")"
    guard let first = groups.first else { return bundle.isExtension ? nil : "add \(expected) as the first group" }
    guard isOwn(first.name, id) else { return "the first group must be the bundle identifier of the app: \(expected)" }
    return first.hasPrefix ? nil : "write \(first.name) as \(prefix)\(first.name)"
  }

  /// A build variable may stand for any name: only Xcode knows its value.
  private static func isOwn(_ name: String, _ id: String?) -> Bool {
    guard let id, !id.contains("$"), !name.contains("$") else { return name != store && name != cache }
    return name == id
  }

  private struct Group {
    private static let teamLength = 10
    let name: String
    let hasPrefix: Bool

    /// A name has a prefix: either a variable of Xcode, or the ten characters of the team id and a dot.
    init(_ text: String) {
      let variables = ["$(AppIdentifierPrefix)", "${AppIdentifierPrefix}", "$(TeamIdentifierPrefix)"]
      let team = text.prefix(Self.teamLength + 1)
      let hasTeam =
        team.count == Self.teamLength + 1 && team.last == "."
        && team.dropLast().allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber) }
      let prefix = variables.first(where: text.hasPrefix) ?? (hasTeam ? String(team) : "")
      name = String(text.dropFirst(prefix.count))
      hasPrefix = !prefix.isEmpty
    }
  }
}
