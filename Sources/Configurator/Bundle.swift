import JSON
import PropertyList

/// What is known of an app, or of an extension of one, before it is configured.
package struct Bundle: Sendable {
  package let info: PropertyListFile
  package let entitlements: PropertyListFile
  /// The Info.plist of the app that holds this extension.
  package let app: PropertyListFile?

  package init(info: PropertyListFile, entitlements: PropertyListFile, app: PropertyListFile? = nil) {
    self.info = info
    self.entitlements = entitlements
    self.app = app
  }

  var isExtension: Bool { info.root["NSExtension"] != nil }

  func setting(_ name: String) -> JSONValue? { info.root.value(at: [.settings, .key(name)]) }

  /// An action extension through which documents of other managed apps are opened.
  var isOpenInExtension: Bool { isExtension && setting("OpenInActionExtension")?.boolValue == true }

  /// The types of documents that the app opens, each once, without Intune's copies.
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

/// Why nothing was changed: which file, what is wrong with it, and the way out.
package struct ConfiguratorError: Error, Equatable, Sendable {
  package enum Reason: Equatable, Sendable {
    case malformed(PropertyListError)
    case wrongType(key: String, expected: String)
    /// A binary list can be checked, but has no text that could be edited.
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
    case .binary: "\(path) is a binary property list, which has no lines or comments to edit"
    case .unreadable(let why): "\(path) cannot be read: \(why)"
    case .unwritable(let why): "\(path) cannot be written: \(why)"
    }
  }

  package var hint: String {
    switch reason {
    case .malformed, .wrongType: "No file was changed; mend it and run this again."
    case .binary: "Edit the Info.plist of the project, or convert it first: plutil -convert xml1 on macOS."
    case .unreadable: "Check the path and its permissions."
    case .unwritable: "It is as it was before."
    }
  }
}

extension ConfiguratorError: CustomStringConvertible {
  package var description: String { "\(message). \(hint)" }
}
