import JSON
import PropertyList

/// The files of an app, or of an app extension, that the configurator reads.
package struct Bundle: Sendable {
  package let info: PropertyListFile
  package let entitlements: PropertyListFile
  /// For an extension, the Info.plist of the app that contains it.
  package let app: PropertyListFile?

  package init(info: PropertyListFile, entitlements: PropertyListFile, app: PropertyListFile? = nil) {
    self.info = info
    self.entitlements = entitlements
    self.app = app
  }

  var isExtension: Bool { info.root["NSExtension"] != nil }

  func setting(_ name: String) -> JSONValue? { info.root.value(at: [.settings, .key(name)]) }

  /// Whether this is an action extension that opens documents from other managed apps.
  var isOpenInExtension: Bool { isExtension && setting("OpenInActionExtension")?.boolValue == true }

  /// The document types that the app opens, each once, without Intune's copies.
  func documentTypes() throws(ConfiguratorError) -> [String] {
    let file = app ?? info
    var types: [String] = []
    for path in try file.paths(to: "LSItemContentTypes", inEachOf: [.documentTypes]) {
      for type in try file.strings(at: path) where !type.isEmpty && !IntuneNames.isIntuneType(type) {
        if !types.contains(type) { types.append(type) }
      }
    }
    return types
  }
}

extension PropertyListPath.Step {
  static let settings: Self = "IntuneMAMSettings"
  static let documentTypes: Self = "CFBundleDocumentTypes"
}

extension PropertyListPath {
  static let appGroups: Self = [.settings, "AppGroupIdentifiers"]
  static let activationRule: Self = ["NSExtension", "NSExtensionAttributes", "NSExtensionActivationRule"]
  static let querySchemes: Self = ["LSApplicationQueriesSchemes"]
}

/// The reason why nothing was changed: the file, what is wrong with it, and what to do.
package struct ConfiguratorError: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case malformed(PropertyListError)
    case wrongType(key: String, expected: String)
    /// A text where a URL scheme must be. The advice says what to write.
    case notAScheme(String, key: String, advice: String)
    /// A binary property list can be checked, but it has no text to edit.
    case binary
    case unreadable(String)
    case unwritable(String)
  }

  package let reason: Reason
  package let path: String

  package init(_ reason: Reason, path: String) {
    self.reason = reason
    self.path = path
  }

  package var message: String {
    switch reason {
    case .malformed(let error):
      error.place.map { "\(path):\($0.line):\($0.column): \(error.message)" } ?? "\(path): \(error.message)"
    case .wrongType(let key, let expected): "\(path): \(key) must be \(expected)"
    case .notAScheme(let text, let key, _): "\(path): \(key): \"\(text)\" is not a URL scheme"
    case .binary: "cannot edit \(path): it is a binary property list, not text"
    case .unreadable(let why): "cannot read \(path): \(why)"
    case .unwritable(let why): "cannot write \(path): \(why)"
    }
  }

  package var hint: String {
    switch reason {
    case .notAScheme(_, _, let advice): "\(advice). No file was changed."
    case .malformed, .wrongType: "No file was changed. Correct the file and run this again."
    case .binary: "Edit the Info.plist of the project, or convert this one first (on macOS: plutil -convert xml1)."
    case .unreadable: "Check the path and its permissions."
    case .unwritable: "The file was not changed."
    }
  }
}

extension ConfiguratorError: CustomStringConvertible {
  package var description: String { "\(message). \(hint)" }
}
