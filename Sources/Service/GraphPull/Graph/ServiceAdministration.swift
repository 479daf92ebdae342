import HTTP
import JSON
import Model

/// What administrators do with a tenant service, over its side that speaks as Graph does.
package struct ServiceAdministration: Sendable {
  private static let path = "/v1.0/deviceAppManagement/managedAppRegistrations"

  private let client: GraphClient

  package init(_ client: GraphClient) {
    self.client = client
  }

  /// The registrations of a user, by object id or user principal name, or of all users. With operations, also those that
  /// ended in the last 30 days: an app that was wiped has left.
  package func registrations(
    of user: String?, withOperations: Bool = false, withEditions: Bool = false
  ) async throws(GraphFailure) -> [ListedRegistration] {
    let path = user.map { "/v1.0/users/\($0.percentEncoded)/managedAppRegistrations" } ?? Self.path
    let found: [JSONObject]
    do throws(GraphFailure) {
      let operations = withOperations ? "&$expand=operations&includeEnded=true" : ""
      let editions = withEditions ? "&includeEditions=true" : ""
      found = try await client.list(at: path + "?$top=999" + operations + editions, permissions: Self.readers)
    } catch {
      let options = [(withOperations, "--operations"), (withEditions, "--editions")].compactMap { $0 ? $1 : nil }
      guard !options.isEmpty, error.kind == .refused, error.body?.code == "BadRequest" else { throw error }
      throw GraphFailure(
        error.kind,
        "\(client.root.origin) is an older service, which cannot list these together with registrations. Upgrade it, "
          + "or list without \(options.joined(separator: " and ")). It shows the operations of one registration at "
          + "\(Self.path)/ID/operations. (It said: \(error.body?.message ?? ""))", error.body)
    }
    let users = try await names(of: Set(found.map { $0.text("userId") }))
    return found.map { ListedRegistration($0, user: users[$0.text("userId")]) }
  }

  /// Orders the wipe of all apps of a user on a device.
  package func wipe(_ user: String, deviceTag: String) async throws(GraphFailure) {
    try await client.post(
      ["deviceTag": .string(deviceTag)],
      to: "/v1.0/users/\(user.percentEncoded)/wipeManagedAppRegistrationsByDeviceTag", permissions: Self.writers)
  }

  private static let editions = "/v1.0/mambridge/editions"

  /// The editions of the tenant, the newest first.
  package func editions() async throws(GraphFailure) -> [JSONObject] {
    try await client.list(at: Self.editions + "?$top=999", permissions: Self.auditors)
  }

  /// What an edition has changed, as lines.
  package func changes(ofEdition number: Int64) async throws(GraphFailure) -> [String] {
    try await lines(at: "\(Self.editions)/\(number)/changes?$top=999")
  }

  /// What changes in decisions between two editions, as lines.
  package func differences(from old: Int64, to new: Int64) async throws(GraphFailure) -> [String] {
    try await lines(at: "\(Self.editions)/\(new)/differences?from=\(old)&$top=999")
  }

  private func lines(at path: String) async throws(GraphFailure) -> [String] {
    try await client.list(at: path, permissions: Self.auditors).map { $0.text("text") }
  }

  /// So many users are asked about one by one, which costs the same in a tenant of any size.
  private static let mostSingly = 5
  private static let nameMembers = "$select=id,userPrincipalName"

  /// The user principal names of users, as far as the tenant still lists them.
  private func names(of users: Set<String>) async throws(GraphFailure) -> [String: String] {
    guard users.count > Self.mostSingly else {
      var names: [String: String] = [:]
      for user in users.sorted() { names[user] = try await name(of: user) }
      return names
    }
    let path = "/v1.0/users?\(Self.nameMembers)&$top=999"
    let found = try await client.list(at: path, permissions: Self.readers).filter { users.contains($0.text("id")) }
    return Dictionary(found.map { ($0.text("id"), $0.text("userPrincipalName")) }) { first, _ in first }
  }

  private func name(of user: String) async throws(GraphFailure) -> String? {
    do throws(GraphFailure) {
      let path = "/v1.0/users/\(user.percentEncoded)?\(Self.nameMembers)"
      return try await client.value(at: path, permissions: Self.readers)["userPrincipalName"]?.stringValue
    } catch {
      guard error.kind == .notFound else { throw error }
      return nil
    }
  }

  private static let readers = "a role that may read (DeviceManagementApps.Read.All)"
  private static let auditors = "a role that may read the history (--audit-role of mambridge-tenant serve)"
  private static let writers = "a role that may wipe (DeviceManagementApps.ReadWrite.All)"
}

/// A registration as the service lists it.
package struct ListedRegistration: Hashable, Sendable {
  /// As it came.
  package let object: JSONObject
  /// The user principal name; `nil` if the tenant does not list the user any more.
  package let userPrincipalName: String?

  init(_ object: JSONObject, user: String?) {
    (self.object, userPrincipalName) = (object, user)
  }

  package var id: String { object.text("id") }
  package var user: String { userPrincipalName ?? object.text("userId") }
  package var deviceTag: String { object.text("deviceTag") }
  package var deviceName: String { object.text("deviceName") }

  package var app: String {
    let identifier = object["appIdentifier"]
    let names = ["bundleId", "packageId", "windowsAppId"].lazy.compactMap { identifier?[$0]?.stringValue }
    return names.first ?? ""
  }

  /// The operations that came with it, by the time of the order.
  package var operations: [JSONObject] { object["operations"]?.arrayValue?.compactMap(\.objectValue) ?? [] }

  /// Why and when it ended, such as `left 2026-01-31`; empty if it is in force.
  package var end: String {
    let date = object.text("endedDateTime").prefix(10)
    return date.isEmpty ? "" : "\(object.text("endReason")) \(date)"
  }

  /// The number of the tenant's edition that the app has; empty if nobody knows it.
  package var edition: String { object["edition"]?.integerValue.map(String.init) ?? "" }

  package static let columns = ["USER", "APP", "VERSION", "DEVICE", "SYSTEM", "LAST CHECK-IN", "DEVICE TAG"]

  package var row: [String] {
    let system = "\(object.text("deviceType")) \(object.text("platformVersion"))".trimmedASCII
    let lastSync = object.text("lastSyncDateTime").prefix(19)
    return [user, app, object.text("applicationVersion"), deviceName, system, String(lastSync), deviceTag]
      .map { $0.shown(atMost: 80) }
  }
}

/// A table of texts in columns.
package enum TextTable {
  package static func text(_ columns: [String], _ rows: [[String]]) -> String {
    let widths = columns.indices.map { index in ([columns] + rows).map { $0[index].count }.max() ?? 0 }
    let lines = ([columns] + rows).map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }.joined(separator: "  ")
    }
    return lines.map { String($0.reversed().drop { $0 == " " }.reversed()) + "\n" }.joined()
  }
}
