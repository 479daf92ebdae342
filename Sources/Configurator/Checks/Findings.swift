import PropertyList

extension Configurator {
  /// Whatever is missing, in the order in which it is best done: edits, steps by hand, hints.
  package func check(_ bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    let edits = try changes(of: bundle).map { change in
      Finding(kind: .edit, path: bundle.info.path, key: change.path.description, text: change.detail)
    }
    return try edits + steps(of: bundle)
  }

  /// What no edit does.
  package func steps(of bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    var steps = try KeychainGroups.findings(of: bundle)
    steps += bundle.isExtension ? try ExtensionSteps.findings(of: bundle) : AppSteps.findings(of: bundle)
    return try steps + hints(of: bundle)
  }

  private func hints(of bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    var hints = try Hints.groups(of: bundle) + Hints.settings(of: bundle)
    if !bundle.isExtension { hints += try Hints.querySchemes(of: bundle) + Hints.scenes(of: bundle) }
    if !movesMainInterface { hints += Hints.mainInterface(of: bundle) }
    return hints
  }
}

/// Something that is missing, or worth a look.
package struct Finding: Equatable, Sendable {
  package enum Kind: String, Sendable {
    /// The configurator adds it.
    case edit
    /// Only the developer can do it.
    case manual
    /// Nothing is missing for sure.
    case hint
  }

  package let kind: Kind
  /// The file that is meant.
  package let path: String
  /// The key in it, or what stands for one.
  package let key: String
  package let text: String
}

extension PropertyListFile {
  func manual(_ key: String, _ text: String) -> Finding { Finding(kind: .manual, path: path, key: key, text: text) }
  func hint(_ key: String, _ text: String) -> Finding { Finding(kind: .hint, path: path, key: key, text: text) }
}

/// What the developer of an app writes by hand.
enum AppSteps {
  private static let faceID = "NSFaceIDUsageDescription"

  static func findings(of bundle: Bundle) -> [Finding] {
    let reason = bundle.info.root[faceID]?.stringValue ?? ""
    guard reason.allSatisfy(\.isWhitespace) else { return [] }
    return [bundle.info.manual(faceID, "tell the user what Face ID is for: a policy may ask for it")]
  }
}

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
