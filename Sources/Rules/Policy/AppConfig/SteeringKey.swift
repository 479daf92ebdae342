import Model

/// How an app configuration reaches the app.
package enum ConfigChannel: String, Sendable {
  /// From the policy source, for accounts that are managed in the app.
  case managedApps
  /// From the management of the device.
  case managedDevices
}

/// The keys of app configuration that steer the SDK itself. Microsoft documents each key for one channel; in the other
/// channel, it is a value like any other, which only the app reads.
package enum SteeringKey: String, CaseIterable, Sendable {
  case userPrincipalName = "IntuneMAMUPN"
  case objectId = "IntuneMAMOID"
  case deviceId = "IntuneMAMDeviceID"
  case allowedAccountsOnly = "IntuneMAMAllowedAccountsOnly"
  case requireAccounts = "IntuneMAMRequireAccounts"
  case allowedAccountNames = "com.microsoft.intune.mam.AllowedAccountUPNs"
  case screenCaptureControl = "com.microsoft.intune.mam.screencapturecontrol"
  case appStore = "com.microsoft.intune.myappstore"

  package var channel: ConfigChannel {
    switch self {
    case .userPrincipalName, .objectId, .deviceId, .allowedAccountsOnly, .requireAccounts, .allowedAccountNames:
      .managedDevices
    case .screenCaptureControl, .appStore: .managedApps
    }
  }
}

extension AppConfig {
  /// The values of a key in its own channel: the targeted values, or if there are none, the default's.
  package func values(of key: SteeringKey) -> [String] {
    let own = sources.filter { $0.channel == key.channel }
    let targeted = own.filter { !$0.isDefault }.compactMap { $0.value(of: key.rawValue) }
    return targeted.isEmpty ? own.compactMap { $0.value(of: key.rawValue) } : targeted
  }

  /// Whether screen capture does not depend on where data may be sent. If configurations disagree, it does depend.
  var detachesScreenCapture: Bool {
    let values = values(of: .screenCaptureControl)
    return !values.isEmpty && values.allSatisfy { $0.trimmedASCII.lowercasedASCII == "disabled" }
  }

  /// Whether the management of the device has told the app who its user is.
  package var namesManagedUser: Bool {
    [SteeringKey.userPrincipalName, .objectId].contains { key in values(of: key).contains { !$0.isEmpty } }
  }
}
