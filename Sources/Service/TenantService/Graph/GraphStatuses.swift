import Database
import JSON
import Model
import Support

/// `managedAppStatuses`: Intune's own reports about registrations.
extension GraphCall {
  private enum Status: String, CaseIterable {
    case user = "userstatus"
    case registrations = "appregistrationsummary"

    var displayName: String {
      switch self {
      case .user: "User status"
      case .registrations: "App registration summary"
      }
    }
  }

  private static let rowsAtOnce = 1000
  /// How many rows one answer of the summary has.
  private static let mostRows = 6000

  func statuses() throws(GraphError) -> GraphAnswer {
    let objects = Status.allCases.map { Self.status($0, [:]) }.sortedByID
    return try page(objects, "deviceAppManagement/managedAppStatuses", try query(of: .status))
  }

  func status(_ key: String) async throws -> GraphAnswer {
    guard let status = Status(rawValue: key.lowercasedASCII) else {
      let known = Status.allCases.map(\.rawValue).joined(separator: " and ")
      throw GraphError.notFound("There is no status \(key.prefix(60)); only \(known) are served.")
    }
    switch status {
    case .user: return try await userStatus()
    case .registrations: return try await registrationSummary()
    }
  }

  private static func status(_ status: Status, _ content: JSONObject) -> JSONObject {
    var object: JSONObject = [
      "@odata.type": "#microsoft.graph.managedAppStatusRaw", "id": .string(status.rawValue),
      "displayName": .string(status.displayName), "version": "1",
    ]
    if !content.isEmpty { object["content"] = .object(content) }
    return object
  }

  /// The apps of one user, with the columns of Intune's own report.
  private func userStatus() async throws -> GraphAnswer {
    let query = try query(of: .status, Self.itemOptions, parameters: ["userId"])
    guard let asked = query.parameters["userId"], !asked.isEmpty else {
      throw GraphError.badRequest("userId is missing: managedAppStatuses('userstatus')?userId=ID")
    }
    let id = try await userId(asked)
    let content = statusContent(id, try await allRegistrations(of: id))
    return item(Self.status(.user, content), "deviceAppManagement/managedAppStatuses", query)
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
    var row = JSONObject(
      [
        "ApplicationName", "ApplicationInstanceId", "ApplicationVersion", "SdkVersion", "DeviceName", "DeviceType",
        "DeviceTag", "Platform", "PlatformVersion", "CreatedDate", "LastCheckInDate",
      ].map { ($0, Self.columns[$0]?(self, registration) ?? .null) })
    row["Policies"] = .array(intended.map(JSONValue.string))
    row["PoliciesApplied"] = .bool(registration.hasApplied(intended))
    row["Health"] = .array(registration.health.map(JSONValue.string))
    return row
  }
}

// MARK: - The summary

extension GraphCall {
  /// The columns that a client may ask for. Those of which a host says nothing are empty.
  private static let columns: [String: @Sendable (GraphCall, GraphRegistration) -> JSONValue] = [
    "UserId": { .string($1.userId) }, "AccountId": { call, _ in .string(call.tenant.snapshot.tenantId) },
    "DisplayName": { $0.tenant.user($1.userId).map { .string($0.displayName) } ?? "" },
    "UserEmail": { $0.tenant.user($1.userId).map { .string($0.mail ?? $0.userPrincipalName) } ?? "" },
    "IntuneLicensed": { $0.tenant.user($1.userId).map { .bool($0.isLicensed) } ?? false },
    "ApplicationId": { .string($1.appId) }, "ApplicationName": { .string($1.appId) },
    "ApplicationInstanceId": { .string($1.id) }, "ApplicationVersion": { .string($1.appVersion) },
    "SdkVersion": { .string($1.sdkVersion) }, "DeviceId": { .string($1.deviceTag) },
    "DeviceTag": { .string($1.deviceTag) }, "DeviceName": { .string($1.deviceName) },
    "DeviceType": { .string($1.deviceType) }, "DeviceModel": { .string($1.model) },
    "DeviceManufacturer": { .string($1.manufacturer) }, "DeviceHealth": { $1.isJailbroken ? "Unhealthy" : "Healthy" },
    "Platform": { .string($1.deviceType) }, "PlatformVersion": { .string($1.platformVersion) },
    "CreatedDate": { .string($1.created.description) }, "LastCheckInDate": { .string($1.lastSync.description) },
    "PolicyId": { call, registration in .string(call.policies(registration, "id")) },
    "PolicyName": { call, registration in .string(call.policies(registration, "displayName")) },
    "AndroidPatchVersion": { _, _ in "" }, "AzureADDeviceId": { _, _ in "" }, "MDMDeviceID": { _, _ in "" },
    "ManagementLevel": { .string($1.managementType.rawValue) }, "PolicySource": { _, _ in "" },
    "PolicyDescription": { _, _ in "" }, "ComplianceState": { _, _ in "" },
  ]

  private func policies(_ registration: GraphRegistration, _ member: String) -> String {
    registration.applied.compactMap { tenant.policy($0.id)?.object[member]?.stringValue }.joined(separator: ", ")
  }

  private static let usualColumns = [
    "UserId", "DisplayName", "UserEmail", "ApplicationName", "ApplicationInstanceId", "ApplicationVersion",
    "DeviceName",
    "DeviceType", "Platform", "PlatformVersion", "PolicyName", "LastCheckInDate",
  ]

  /// All registrations, in the columns that the client names, and a token that `seek` takes for the rows after these.
  private func registrationSummary() async throws -> GraphAnswer {
    let query = try query(
      of: .status, Self.itemOptions, parameters: ["fetch", "columns", "seek", "policyMode"])
    let names = query.parameters["columns"].map { $0.split(separator: ",").map(\.trimmedASCII) } ?? Self.usualColumns
    let columns = try names.map { name in
      guard let column = Self.columns[name] else {
        let hint = Self.columns.keys.sorted().nearest(to: name).map { " Did you mean \($0)?" } ?? ""
        throw GraphError.badRequest("There is no column \(name.prefix(60)).\(hint)")
      }
      return column
    }
    let count = try rowCount(query.parameters["fetch"])
    let rows = try await store.graphRegistrations(
      after: query.parameters["seek"], limit: count + 1, user: nil, endedSince: nil)
    let body = rows.prefix(count).map { row -> JSONValue in
      ["values": .array(columns.map { $0(self, row) })]
    }
    let content: JSONObject = [
      "header": .array(names.map { ["columnName": .string($0)] }), "body": .array(body),
      "skipToken": rows.count > count ? .string(rows[count - 1].id) : "",
    ]
    return item(Self.status(.registrations, content), "deviceAppManagement/managedAppStatuses", query)
  }

  private func rowCount(_ text: String?) throws(GraphError) -> Int {
    guard let text else { return Self.rowsAtOnce }
    guard let count = Int(text), (1...Self.mostRows).contains(count) else {
      throw .badRequest("fetch must be a number from 1 to \(Self.mostRows).")
    }
    return count
  }
}
