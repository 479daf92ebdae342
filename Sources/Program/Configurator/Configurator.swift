// Configurator is the Intune App SDK's configuration tool for iOS projects, on Linux: it finds what an Info.plist
// lacks for the SDK, and adds it without touching anything else. `Configurator.changes` lists what it looks at;
// Predicates/ reads and writes the rule that says for which items an extension is offered, and Checks/ finds what iOS
// would not accept. It knows nothing of accounts and policies.

import JSON
import PropertyList

/// Computes the edits that prepare an Info.plist for the Intune App SDK. Existing entries are kept, so a second run
/// changes nothing.
package struct Configurator: Sendable {
  /// Whether to move the main storyboard and nib into IntuneMAMSettings, as SDKs before 2020 required. Later SDKs do
  /// not look for them there.
  package var movesMainInterface = false

  package init() {}

  package func changes(of bundle: Bundle) throws(ConfiguratorError) -> [Change] {
    var changes = movesMainInterface ? MainInterface.changes(of: bundle) : []
    changes += try URLSchemes.changes(of: bundle)
    changes += try DocumentTypes.changes(of: bundle)
    changes += try AppGroups.changes(of: bundle)
    changes += try ActivationRule.changes(of: bundle)
    changes += try QuerySchemes.changes(of: bundle)
    return changes
  }

  /// The text of the file after the changes.
  package func text(of file: PropertyListFile, with changes: [Change]) throws(ConfiguratorError) -> [UInt8] {
    var text = try file.text()
    do throws(PropertyListError) {
      for change in changes { try change.apply(to: &text) }
    } catch {
      throw ConfiguratorError(.malformed(error), path: file.path)
    }
    return text.bytes
  }
}

/// The names that managed apps use among each other.
enum IntuneNames {
  private static let typePrefix = "com.microsoft.intune.mam."

  static func copy(ofType type: String) -> String { typePrefix + type }

  /// Types are compared without regard to case.
  static func isIntuneType(_ type: String) -> Bool { type.lowercased().hasPrefix(typePrefix) }

  /// The copies that are not in `present`, each once.
  static func missing(_ copies: [String], in present: [String]) -> [String] {
    var known = Set(present.map { $0.lowercased() })
    return copies.filter { known.insert($0.lowercased()).inserted }
  }
}

/// One edit of an Info.plist.
package struct Change: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    /// Appends strings to an array.
    case append([String])
    case set(JSONValue)
    /// Sets the text between the tags of a string, which must be escaped already.
    case setRawText(String)
    /// Moves the value of another entry here.
    case move(from: PropertyListPath)
  }

  package let path: PropertyListPath
  package let action: Action
  /// What the edit does, in words; written beside the edit in the file.
  package let comment: String

  func apply(to text: inout PropertyListText) throws(PropertyListError) {
    let mark = "mambridge: \(comment)"
    switch action {
    case .append(let strings): try text.append(strings, toArrayAt: path, comment: mark)
    case .set(let value): try text.set(value, at: path, comment: mark)
    case .setRawText(let raw): try text.setRawText(raw, at: path, comment: mark)
    case .move(let source):
      guard let value = text.root.element(at: source)?.value else { return }
      try text.set(value, at: path, comment: mark)
      try text.remove(source)
    }
  }

  /// What the edit adds to the file.
  package var detail: String {
    switch action {
    case .append(let strings): strings.joined(separator: ", ")
    case .set, .setRawText: comment
    case .move(let source): "the value of \(source)"
    }
  }
}
