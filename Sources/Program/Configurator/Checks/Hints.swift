import PropertyList

/// Settings that may be fine as they are, but are often forgotten.
enum Hints {
  static func groups(of bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    let entitled = try bundle.entitlements.strings(at: AppGroups.entitlement)
    return try bundle.info.strings(at: .appGroups).filter { !entitled.contains($0) }.map {
      bundle.info.hint(PropertyListPath.appGroups.description, "\($0) is not in the entitlements")
    }
  }

  static func settings(of bundle: Bundle) -> [Finding] {
    var hints: [Finding] = []
    let hint = { (name: String, text: String) in
      hints.append(bundle.info.hint((["IntuneMAMSettings", .key(name)] as PropertyListPath).description, text))
    }
    if bundle.setting("DebugSettingsEnabled")?.boolValue == true {
      hint("DebugSettingsEnabled", "turn it off before you ship the app")
    }
    if !bundle.isExtension && bundle.setting("ADALClientId") == nil {
      hint("ADALClientId", "apps that use MSAL need it and ADALRedirectUri, unless they override them at run time")
    }
    hints.append(bundle.info.hint("build settings", "STRIP_SWIFT_SYMBOLS and ENABLE_BITCODE must be NO"))
    return hints
  }

  static func querySchemes(of bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    let (added, withoutRoom) = try QuerySchemes.missing(in: bundle)
    let count = try bundle.info.strings(at: .querySchemes).count + added.count
    var texts: [String] = []
    if count > QuerySchemes.limit {
      texts.append("there are \(count) schemes, but iOS accepts only \(QuerySchemes.limit)")
    }
    if !withoutRoom.isEmpty {
      texts.append(
        """
        no room for \(withoutRoom.joined(separator: ", ")): iOS accepts only \(QuerySchemes.limit) schemes. For an app \
        that is known to be managed, ask isURLAllowed with isKnownManagedAppScheme instead
        """)
    }
    return texts.map { bundle.info.hint(PropertyListPath.querySchemes.description, $0) }
  }

  /// An app without a main storyboard or nib may be a SwiftUI app.
  static func scenes(of bundle: Bundle) -> [Finding] {
    let path: PropertyListPath = ["UIApplicationSceneManifest", "UISceneConfigurations"]
    let hasInterface = MainInterface.names.contains { name, setting in
      bundle.info.root[name] != nil || bundle.setting(setting) != nil
    }
    guard !hasInterface, bundle.info.root.value(at: path)?.objectValue?.isEmpty ?? true else { return [] }
    return [bundle.info.hint(path.description, "a SwiftUI app must list its scenes here")]
  }

  static func mainInterface(of bundle: Bundle) -> [Finding] {
    MainInterface.names.filter { bundle.setting($0.1) != nil }.map { own, setting in
      let path: PropertyListPath = [.settings, .key(setting)]
      return bundle.info.hint(path.description, "SDKs since 2020 look for it under \(own) instead")
    }
  }
}
