import Database
import JSON
import SourceProtocol
import Support

/// An account in an app on a device, as its check-ins describe it.
package struct Registration: Hashable, Sendable {
  /// A UUID in lower case, made by the host.
  package var id: String
  /// The SHA-256 of the secret.
  package var secretHash: [UInt8]
  package var tenantId: String
  /// The object id of the user, in lower case.
  package var userId: String
  package var appId: String
  /// Joins the apps of one device.
  package var deviceTag: String
  package var facts: RegistrationFacts
  /// The policies that the app applies.
  package var applied: [PolicyVersion]
  /// Names what was delivered last, operations excluded; `nil` if nothing was.
  package var etag: String?
  /// Increases with each operation for this registration.
  package var revision: Int64
  package var created: Timestamp
  package var lastSync: Timestamp
  /// When it left, was replaced by another one, or was not seen for too long.
  package var ended: Timestamp?
  package var endReason: EndReason?

  package enum EndReason: String, Sendable { case left, replaced, unseen }

  /// For so many days after its last check-in, a registration that was replaced is still wiped.
  static let replacedDays: Int64 = 90
  /// How many registrations of a user that were replaced are kept, those with operations apart.
  static let mostReplaced = 200

  package init(
    id: String, secretHash: [UInt8], tenantId: String, userId: String, appId: String, deviceTag: String,
    facts: RegistrationFacts, applied: [PolicyVersion] = [], etag: String? = nil, revision: Int64 = 0,
    created: Timestamp, lastSync: Timestamp, ended: Timestamp? = nil, endReason: EndReason? = nil
  ) {
    self.id = id
    self.secretHash = secretHash
    self.tenantId = tenantId
    self.userId = userId
    self.appId = appId
    self.deviceTag = deviceTag
    self.facts = facts
    self.applied = applied
    self.etag = etag
    self.revision = revision
    self.created = created
    self.lastSync = lastSync
    self.ended = ended
    self.endReason = endReason
  }
}

/// What a host says about the user, the app and the device. Members that this version does not know are kept.
package struct RegistrationFacts: Hashable, Sendable {
  package private(set) var members: JSONObject

  package init(_ members: JSONObject) {
    self.members = members
  }

  /// The member that a check-in adds for what it has delivered.
  static let edition = "edition"

  /// The edition of the tenant that was delivered last, or found to be there; `nil` if an older program did that.
  package var edition: Int64? { members[Self.edition]?.integerValue }
  package var userPrincipalName: String { text("userPrincipalName") }
  package var displayName: String { text("displayName") }
  package var appVersion: String { text("appVersion") }
  package var sdkVersion: String { text("sdkVersion") }
  package var deviceName: String { text("deviceName") }
  /// ios, android or windows.
  package var platform: String { text("platform") }
  package var osVersion: String { text("osVersion") }
  package var manufacturer: String { text("manufacturer") }
  package var model: String { text("model") }
  package var managementType: String { text("managementType") }
  package var isJailbroken: Bool { members["jailbroken"]?.boolValue ?? false }
  package var health: [String] { members["health"]?.strings ?? [] }

  /// With the members of others that come, and those of its own that the others do not have.
  func updated(by other: JSONObject) -> RegistrationFacts {
    var updated = self
    for member in other.members { updated.members[member.name] = member.value }
    return updated
  }

  /// Empty if the host did not say it.
  private func text(_ name: String) -> String { members[name]?.stringValue ?? "" }
}

extension Registration {
  static let columns = """
    id, secret_hash, tenant_id, user_id, app_id, device_tag, facts, applied, etag, revision, created, last_sync, ended,
    end_reason
    """

  /// From a row with `columns`.
  init(_ row: DatabaseRow) {
    self.init(
      id: row.text(0) ?? "", secretHash: row.bytes(1) ?? [], tenantId: row.text(2) ?? "", userId: row.text(3) ?? "",
      appId: row.text(4) ?? "", deviceTag: row.text(5) ?? "", facts: RegistrationFacts(JSONObject(stored: row.text(6))),
      applied: [PolicyVersion](stored: row.text(7)), etag: row.text(8), revision: row.integer(9) ?? 0,
      created: row.time(10) ?? .earliestText, lastSync: row.time(11) ?? .earliestText, ended: row.time(12),
      endReason: row.text(13).flatMap(EndReason.init(rawValue:)))
  }
}

extension [PolicyVersion] {
  var stored: String {
    JSONValue.array(map { ["id": .string($0.id), "version": $0.version.map(JSONValue.string) ?? .null] }).jsonText
  }

  fileprivate init(stored text: String?) {
    let values = (try? JSONValue(parsing: text ?? ""))?.arrayValue ?? []
    self = values.compactMap { value in
      value["id"]?.stringValue.map { PolicyVersion(id: $0, version: value["version"]?.stringValue) }
    }
  }
}

extension JSONObject {
  fileprivate init(stored text: String?) { self = (try? JSONValue(parsing: text ?? ""))?.objectValue ?? [:] }
}

extension DatabaseRow {
  func time(_ index: Int) -> Timestamp? { integer(index).map { Timestamp(milliseconds: $0) } }
}

extension DatabaseValue {
  init(_ time: Timestamp) { self = .integer(time.milliseconds) }
}
