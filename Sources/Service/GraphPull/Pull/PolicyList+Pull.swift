import Model

/// What pull needs to know of a list. Pull reads Graph's beta, because it has settings that v1.0 leaves out.
extension PolicyList {
  /// What is read with each element. Graph may leave out the type, because the list says it.
  var members: [String] { isAssigned ? ["apps", "assignments"] : ["apps"] }

  /// In the tenant folder.
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
