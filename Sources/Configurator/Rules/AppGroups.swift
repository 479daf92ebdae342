import PropertyList

/// The app groups of the entitlements, told to the SDK.
enum AppGroups {
  static let entitlement: PropertyListPath = ["com.apple.security.application-groups"]

  static func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    _ = try bundle.info.dictionary(at: [.settings])
    let present = Set(try bundle.info.strings(at: .appGroups))
    var missing: [String] = []
    for group in try bundle.entitlements.strings(at: entitlement) where !present.contains(group) {
      if !missing.contains(group) { missing.append(group) }
    }
    guard !missing.isEmpty else { return [] }
    return [Change(path: .appGroups, action: .append(missing), comment: "the app groups of the entitlements")]
  }
}
