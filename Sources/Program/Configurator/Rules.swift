import JSON
import PropertyList

/// Adds Intune's types to the rule that decides for which items an extension is offered.
enum ActivationRule {
  /// The reason why a rule cannot be extended; `nil` if it can.
  enum Obstacle: Equatable {
    case unknownKeys([String])
    case noKind
    case noType
    /// The app's document types are not known, so the rule of an open-in extension cannot be written.
    case noDocumentTypes
  }

  static func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    for depth in 1..<PropertyListPath.activationRule.steps.count {
      _ = try bundle.info.dictionary(at: PropertyListPath(Array(PropertyListPath.activationRule.steps.prefix(depth))))
    }
    let rule = bundle.info.root.value(at: .activationRule)
    if bundle.isOpenInExtension {
      let types = try bundle.documentTypes()
      guard !types.isEmpty, !ActivationPredicate.openIn(rule?.stringValue, names: types) else { return [] }
      let comment = "accepts one document from a managed app, of a type that the app opens"
      return [change(.set(.string(ActivationPredicate.openIn(types))), comment)]
    }
    if let dictionary = rule?.objectValue, let kinds = try? ActivationDictionary(dictionary) {
      let comment = "the rule was rewritten as a predicate with Intune's copies of its types"
      return [change(.set(.string(PredicateText(kinds.predicate).extended)), comment)]
    }
    guard let text = rule?.stringValue, let raw = bundle.info.rawText(at: .activationRule) else { return [] }
    guard let action = extending(PredicateText(text), writtenAs: PredicateText(raw)) else { return [] }
    return [change(action, "Intune's copies of the types were added")]
  }

  /// Edits the raw text, unless entities hide types in it.
  private static func extending(_ text: PredicateText, writtenAs raw: PredicateText) -> Change.Action? {
    guard text.extended != text.original else { return nil }
    return raw.testCount == text.testCount ? .setRawText(raw.extended) : .set(.string(text.extended))
  }

  static func obstacle(of bundle: Bundle) throws(ConfiguratorError) -> Obstacle? {
    if bundle.isOpenInExtension { return try bundle.documentTypes().isEmpty ? .noDocumentTypes : nil }
    switch bundle.info.root.value(at: .activationRule) {
    case .object(let dictionary)?:
      do throws(Obstacle) {
        _ = try ActivationDictionary(dictionary)
        return nil
      } catch {
        return error
      }
    case .string(let text)?: return PredicateText(text).isUnderstood ? nil : .noType
    default: return nil
    }
  }

  private static func change(_ action: Change.Action, _ comment: String) -> Change {
    Change(path: .activationRule, action: action, comment: comment)
  }
}

extension ActivationRule.Obstacle: Error {}

/// Copies the app groups of the entitlements to the settings of the SDK.
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
    return [Change(path: .appGroups, action: .append(missing), comment: "app groups from the entitlements")]
  }
}

/// Adds a copy of each content type; managed apps use the copies to share documents.
enum DocumentTypes {
  static func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    var changes: [Change] = []
    for path in try bundle.info.paths(to: "LSItemContentTypes", inEachOf: [.documentTypes]) {
      let present = try bundle.info.strings(at: path)
      let types = present.filter { !$0.isEmpty && !IntuneNames.isIntuneType($0) }
      let missing = IntuneNames.missing(types.map(IntuneNames.copy(ofType:)), in: present)
      guard !missing.isEmpty else { continue }
      changes.append(
        Change(path: path, action: .append(missing), comment: "copies of the content types, for managed apps"))
    }
    return changes
  }
}

/// The main storyboard and nib, which SDKs before 2020 loaded themselves.
enum MainInterface {
  /// The names that iOS uses, and the names in IntuneMAMSettings.
  static let names = [
    ("UIMainStoryboardFile", "MainStoryboardFile"), ("UIMainStoryboardFile~ipad", "MainStoryboardFile~ipad"),
    ("NSMainNibFile", "MainNibFile"), ("NSMainNibFile~ipad", "MainNibFile~ipad"),
  ]

  static func changes(of bundle: Bundle) -> [Change] {
    names.filter { bundle.info.root[$0.0] != nil }.map { (own, setting) in
      Change(
        path: [.settings, .key(setting)], action: .move(from: [.key(own)]), comment: "was \(own); for SDKs before 2020")
    }
  }
}

/// The schemes that an app asks for with canOpenURL: adds a copy of each, and the schemes that the SDK asks for.
///
/// The list of the SDK's schemes is from the guides of October 2024 and later.
enum QuerySchemes {
  static let fixed = [
    "http-intunemam", "https-intunemam", "microsoft-edge-http-intunemam", "microsoft-edge-https-intunemam", "smart-ns",
    "zips", "lacoonsecurity", "wandera", "lookoutwork-ase", "skycure", "betteractiveshield", "smsec", "mvisionmobile",
    "scmx", "intunemam-mtd",
  ]
  /// How many schemes iOS accepts from one app. It answers no for all after the 50th.
  static let limit = 50
  private static let mailScheme = "mailto"
  private static let managedMailScheme = "ms-outlook-intunemam"

  /// The missing schemes, and the copies that exceed the limit. The SDK's schemes come first.
  static func missing(
    in bundle: Bundle
  ) throws(ConfiguratorError) -> (added: [String], withoutRoom: [String]) {
    let present = try bundle.info.strings(at: .querySchemes)
    let own = try URLSchemeName.own(in: bundle.info, at: .querySchemes)
    let asksForMail = own.contains { $0.lowercased() == mailScheme }
    let needed = IntuneNames.missing(fixed + (asksForMail ? [managedMailScheme] : []), in: present)
    let copies = IntuneNames.missing(own.map(URLSchemeName.copy(of:)), in: present + needed)
    let room = max(0, limit - present.count - needed.count)
    return (copies.prefix(room) + needed, Array(copies.dropFirst(room)))
  }

  static func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    guard !bundle.isExtension else { return [] }
    let missing = try missing(in: bundle).added
    guard !missing.isEmpty else { return [] }
    return [
      Change(path: .querySchemes, action: .append(missing), comment: "URL schemes of managed apps and of the SDK")
    ]
  }
}

/// Adds a copy of each URL scheme of the app; managed apps use the copies to call it.
enum URLSchemes {
  static func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    let paths = try bundle.info.paths(to: "CFBundleURLSchemes", inEachOf: ["CFBundleURLTypes"])
    var present: [String] = []
    for path in paths { present += try bundle.info.strings(at: path) }
    var changes: [Change] = []
    for path in paths {
      let schemes = try URLSchemeName.own(in: bundle.info, at: path)
      let missing = IntuneNames.missing(schemes.map(URLSchemeName.copy(of:)), in: present)
      guard !missing.isEmpty else { continue }
      present += missing
      changes.append(
        Change(path: path, action: .append(missing), comment: "copies of the URL schemes, for managed apps"))
    }
    return changes
  }
}
