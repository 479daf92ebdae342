import Database
import JSON
import Model
import Support

extension GraphRegistration {
  private static let types: [DevicePlatform: String] = [
    .ios: "iosManagedAppRegistration", .android: "androidManagedAppRegistration",
    .windows: "windowsManagedAppRegistration",
  ]

  /// As Graph shows it. Only the beta names the model of the device.
  func graph(isBeta: Bool) -> JSONObject {
    var object: JSONObject = [
      "@odata.type": .string("#microsoft.graph." + (Self.types[platform] ?? "managedAppRegistration")),
      "id": .string(id), "createdDateTime": .string(created.description),
      "lastSyncDateTime": .string(lastSync.description), "applicationVersion": .string(appVersion),
      "managementSdkVersion": .string(sdkVersion), "platformVersion": .string(platformVersion),
      "deviceType": .string(deviceType), "deviceTag": .string(deviceTag), "deviceName": .string(deviceName),
      "flaggedReasons": isJailbroken ? ["rootedDevice"] : [], "userId": .string(userId),
      "appIdentifier": GraphTargets.Platform(platform).identifier(appId), "version": .string(String(revision)),
    ]
    if let ended {
      object["endedDateTime"] = .string(ended.description)
      object["endReason"] = .string(endReason)
    }
    guard isBeta else { return object }
    object["deviceModel"] = .string(model)
    object["deviceManufacturer"] = .string(manufacturer)
    object["managedDeviceId"] = .null
    object["azureADDeviceId"] = .null
    return object
  }

  var deviceType: String {
    switch platform {
    case .ios: "iOS"
    case .android: "Android"
    case .windows: "Windows"
    }
  }
}

extension GraphOperation {
  var graph: JSONObject {
    [
      "@odata.type": "#microsoft.graph.managedAppOperation", "id": .string(id), "displayName": .string(kind),
      "lastModifiedDateTime": .string(changed.description),
      "state": .string(outcome.map { "\(state): \($0)" } ?? state), "version": .string(String(changed.milliseconds)),
    ]
  }
}
