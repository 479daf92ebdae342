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
