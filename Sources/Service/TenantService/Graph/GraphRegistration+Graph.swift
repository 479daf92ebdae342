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

  /// With the member that `$expand` asks for; `nil` without.
  func graph(isBeta: Bool, with operations: [GraphOperation]?) -> JSONObject {
    var object = graph(isBeta: isBeta)
    if let operations { object[GraphCall.operationsMember] = .array(operations.map { .object($0.graph) }) }
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

extension GraphCall {
  private static let userStatus = "userstatus"
  private static let rowsAtOnce = 1000

  func statuses() throws -> GraphAnswer {
    page([Self.status([:])], "deviceAppManagement/managedAppStatuses", try query(of: .status))
  }

  /// The apps of one user, with the columns of Intune's own report.
  func status(_ key: String) async throws -> GraphAnswer {
    guard key.lowercasedASCII == Self.userStatus else {
      throw GraphError.notFound("There is no status \(key.prefix(60)); only userstatus is served.")
    }
    let query = try query(of: .status, Self.itemOptions, parameters: ["userId"])
    guard let asked = query.parameters["userId"], !asked.isEmpty else {
      throw GraphError.badRequest("userId is missing: managedAppStatuses('userstatus')?userId=ID")
    }
    let id = try await userId(asked)
    let content = statusContent(id, try await allRegistrations(of: id))
    return item(Self.status(content), "deviceAppManagement/managedAppStatuses", query)
  }

  private func allRegistrations(of user: String) async throws(DatabaseError) -> [GraphRegistration] {
    var all: [GraphRegistration] = []
    while true {
      let found = try await store.graphRegistrations(
        after: all.last?.id, limit: Self.rowsAtOnce, user: user, endedSince: nil)
      all += found
      if found.count < Self.rowsAtOnce { return all }
    }
  }

  private static func status(_ content: JSONObject) -> JSONObject {
    var object: JSONObject = [
      "@odata.type": "#microsoft.graph.managedAppStatusRaw", "id": .string(userStatus), "displayName": "User status",
      "version": "1",
    ]
    if !content.isEmpty { object["content"] = .object(content) }
    return object
  }

  private func statusContent(_ id: String, _ registrations: [GraphRegistration]) -> JSONObject {
    let user = tenant.user(id)
    return [
      "UserId": .string(id), "DisplayName": user.map { .string($0.displayName) } ?? .null,
      "UserEmail": user.map { .string($0.mail ?? $0.userPrincipalName) } ?? .null,
      "IntuneLicensed": user.map { .bool($0.isLicensed) } ?? .null,
      "Applications": .array(registrations.map { .object(row($0)) }),
    ]
  }

  private func row(_ registration: GraphRegistration) -> JSONObject {
    let intended = tenant.intended(for: registration).map(\.id)
    return [
      "ApplicationName": .string(registration.appId), "ApplicationInstanceId": .string(registration.id),
      "ApplicationVersion": .string(registration.appVersion), "SdkVersion": .string(registration.sdkVersion),
      "DeviceName": .string(registration.deviceName), "DeviceType": .string(registration.deviceType),
      "DeviceTag": .string(registration.deviceTag), "Platform": .string(registration.deviceType),
      "PlatformVersion": .string(registration.platformVersion),
      "CreatedDate": .string(registration.created.description),
      "LastCheckInDate": .string(registration.lastSync.description),
      "Policies": .array(intended.map(JSONValue.string)),
      "PoliciesApplied": .bool(registration.hasApplied(intended)),
      "Health": .array(registration.health.map(JSONValue.string)),
    ]
  }
}
