import PropertyList

/// What the developer of an extension writes by hand.
enum ExtensionSteps {
  static func findings(of bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    var findings: [Finding] = []
    if bundle.setting("ContainingAppBundleId")?.stringValue?.isEmpty ?? true {
      let path: PropertyListPath = [.settings, "ContainingAppBundleId"]
      let id = bundle.app?.root["CFBundleIdentifier"]?.stringValue.map { ": \($0)" } ?? ""
      findings.append(bundle.info.manual(path.description, "name the bundle identifier of the app\(id)"))
    }
    if let obstacle = try ActivationRule.obstacle(of: bundle) {
      findings.append(bundle.info.manual(PropertyListPath.activationRule.description, obstacle.text))
    }
    return try findings + (bundle.isOpenInExtension ? openIn(bundle) : [])
  }

  /// App and extension share a group, and the app has a scheme by which it is called.
  private static func openIn(_ bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    let groups = try bundle.entitlements.strings(at: AppGroups.entitlement)
    guard !groups.isEmpty else {
      return [bundle.entitlements.manual(AppGroups.entitlement.description, "share an app group with the app")]
    }
    guard let app = bundle.app else { return [] }
    var findings: [Finding] = []
    if Set(groups).isDisjoint(with: try app.strings(at: .appGroups)) {
      findings.append(app.manual(PropertyListPath.appGroups.description, "name a group that the extension is in too"))
    }
    var schemes: [String] = []
    for path in try app.paths(to: "CFBundleURLSchemes", inEachOf: ["CFBundleURLTypes"]) {
      schemes += try app.strings(at: path)
    }
    if !schemes.contains(where: IntuneNames.isIntuneScheme) {
      findings.append(app.manual("CFBundleURLTypes", "the app needs a URL scheme with its copy for managed apps"))
    }
    return findings
  }
}

extension ActivationRule.Obstacle {
  fileprivate var text: String {
    switch self {
    case .unknownKeys(let keys): "rewrite it as a predicate: \(keys.joined(separator: ", ")) cannot be translated"
    case .noKind: "it supports nothing; name what the extension supports"
    case .noType: "it names no type that could be recognized; add Intune's copies of its types"
    case .noDocumentTypes: "name the types that the app opens; --app APP/Info.plist lets it be written"
    }
  }
}
