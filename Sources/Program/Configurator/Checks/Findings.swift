import PropertyList

extension Configurator {
  /// Everything that is missing, in the order in which to do it: edits, manual steps, hints.
  package func check(_ bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    let edits = try changes(of: bundle).map { change in
      Finding(kind: .edit, path: bundle.info.path, key: change.path.description, text: change.detail)
    }
    return try edits + steps(of: bundle)
  }

  /// The steps that no edit can do.
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
    /// The configurator can add it.
    case edit
    /// Only the developer can add it.
    case manual
    /// It may be fine as it is.
    case hint
  }

  package let kind: Kind
  /// The path of the file that the finding is about.
  package let path: String
  /// The key in the file, or a name for something that has no key.
  package let key: String
  package let text: String
}

extension PropertyListFile {
  func manual(_ key: String, _ text: String) -> Finding { Finding(kind: .manual, path: path, key: key, text: text) }
  func hint(_ key: String, _ text: String) -> Finding { Finding(kind: .hint, path: path, key: key, text: text) }
}

/// What the developer of an app has to write.
enum AppSteps {
  private static let faceID = "NSFaceIDUsageDescription"

  static func findings(of bundle: Bundle) -> [Finding] {
    let reason = bundle.info.root[faceID]?.stringValue ?? ""
    guard reason.allSatisfy(\.isWhitespace) else { return [] }
    return [
      bundle.info.manual(faceID, "add a text that tells the user why the app uses Face ID: a policy may require it")
    ]
  }
}

/// What the developer of an extension has to write.
enum ExtensionSteps {
  static func findings(of bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    var findings: [Finding] = []
    if bundle.setting("ContainingAppBundleId")?.stringValue?.isEmpty ?? true {
      let path: PropertyListPath = [.settings, "ContainingAppBundleId"]
      let id = bundle.app?.root["CFBundleIdentifier"]?.stringValue.map { ": \($0)" } ?? ""
      findings.append(bundle.info.manual(path.description, "set it to the bundle identifier of the app\(id)"))
    }
    if let obstacle = try ActivationRule.obstacle(of: bundle) {
      findings.append(bundle.info.manual(PropertyListPath.activationRule.description, obstacle.text))
    }
    return try findings + (bundle.isOpenInExtension ? openIn(bundle) : [])
  }

  /// The app and the extension must share an app group, and the extension calls the app by a URL scheme.
  private static func openIn(_ bundle: Bundle) throws(ConfiguratorError) -> [Finding] {
    let groups = try bundle.entitlements.strings(at: AppGroups.entitlement)
    guard !groups.isEmpty else {
      return [bundle.entitlements.manual(AppGroups.entitlement.description, "add an app group that the app is in, too")]
    }
    guard let app = bundle.app else { return [] }
    var findings: [Finding] = []
    if Set(groups).isDisjoint(with: try app.strings(at: .appGroups)) {
      findings.append(
        app.manual(PropertyListPath.appGroups.description, "add an app group that the extension is in, too"))
    }
    var schemes: [String] = []
    for path in try app.paths(to: "CFBundleURLSchemes", inEachOf: ["CFBundleURLTypes"]) {
      schemes += try app.strings(at: path)
    }
    if !schemes.contains(where: URLSchemeName.isCopy) {
      findings.append(app.manual("CFBundleURLTypes", "add a URL scheme and its copy for managed apps"))
    }
    return findings
  }
}

extension ActivationRule.Obstacle {
  fileprivate var text: String {
    switch self {
    case .unknownKeys(let keys): "rewrite the rule as a predicate: \(keys.joined(separator: ", ")) cannot be translated"
    case .noKind: "the rule accepts nothing; add the kinds of items that the extension accepts"
    case .noType: "no type was recognized in the rule; add Intune's copies of its types by hand"
    case .noDocumentTypes: "add the document types that the app opens; with --app APP/Info.plist they are added for you"
    }
  }
}
