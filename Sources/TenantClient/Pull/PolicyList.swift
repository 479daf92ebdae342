/// A list of Graph that pull reads, and the file of the tenant folder that it becomes.
package enum PolicyList: CaseIterable, Sendable {
  case ios, android, windows, `default`, configurations

  /// Of Graph's beta, because it has settings that v1.0 leaves out.
  var collection: String {
    switch self {
    case .ios: "iosManagedAppProtections"
    case .android: "androidManagedAppProtections"
    case .windows: "windowsManagedAppProtections"
    case .default: "defaultManagedAppProtections"
    case .configurations: "targetedManagedAppConfigurations"
    }
  }

  /// The type of all elements, which Graph may leave out because the list says it.
  var type: String {
    switch self {
    case .ios: "#microsoft.graph.iosManagedAppProtection"
    case .android: "#microsoft.graph.androidManagedAppProtection"
    case .windows: "#microsoft.graph.windowsManagedAppProtection"
    case .default: "#microsoft.graph.defaultManagedAppProtection"
    case .configurations: "#microsoft.graph.targetedManagedAppConfiguration"
    }
  }

  /// A default policy is for everybody, so it has no assignments.
  var members: [String] { self == .default ? ["apps"] : ["apps", "assignments"] }

  package var file: String {
    switch self {
    case .ios: "policies/ios.json"
    case .android: "policies/android.json"
    case .windows: "policies/windows.json"
    case .default: "policies/default.json"
    case .configurations: "configurations/all.json"
    }
  }

  package var name: String {
    switch self {
    case .ios: "policies for iOS"
    case .android: "policies for Android"
    case .windows: "policies for Windows"
    case .default: "default policies"
    case .configurations: "app configurations"
    }
  }

  var permissions: String {
    self == .windows
      ? "DeviceManagementApps.Read.All and DeviceManagementConfiguration.Read.All" : "DeviceManagementApps.Read.All"
  }
}
