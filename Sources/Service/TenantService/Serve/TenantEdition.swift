import Cryptography
import JSON
import Model
import Policy
import Support
import Tenancy

/// One version of the tenant, prepared for many questions.
package struct TenantEdition: Sendable {
  /// Increases with each change.
  package let generation: Int64
  package let published: Timestamp
  /// What the tenant keeps although its source no longer has it.
  package let held: HeldRemovals
  /// `policyObjects` and `configurationObjects` have the objects as Graph writes them.
  package let tenant: TenantSnapshot
  /// In lower case.
  package let tenantId: String
  private let users: [String: Int]
  private let policies: [String: Document]
  private let configurations: [String: Document]
  /// What every user gets: members of the answer, with their names.
  private let common: Document

  /// An object as it is delivered.
  private struct Document: Sendable {
    let json: [UInt8]
    let digest: [UInt8]

    init(_ json: [UInt8]) throws(CryptographyError) {
      self.json = json
      digest = try SHA256.digest(json)
    }

    init(_ object: JSONObject) throws(CryptographyError) { try self.init(Array(object.jsonText.utf8)) }
  }

  /// Throws for a tenant that cannot be served.
  package init(
    _ files: TenantFileSet, generation: Int64, published: Timestamp, held: HeldRemovals = HeldRemovals()
  ) throws(TenantError) {
    let tenant = try files.read()
    guard tenant.tenantId.isGUID else {
      throw .unparsable(file: "tenant.json", reason: "tenantId must be a GUID, because hosts identify accounts with it")
    }
    self.generation = generation
    self.published = published
    self.held = held
    self.tenant = tenant
    tenantId = tenant.tenantId.lowercasedASCII
    var users: [String: Int] = [:]
    // A deleted user may have left the name to another one.
    for isDeleted in [false, true] {
      for (index, user) in tenant.users.enumerated() where user.isDeleted == isDeleted {
        for name in [user.userPrincipalName, user.id] {
          users[name.lowercasedASCII] = users[name.lowercasedASCII] ?? index
        }
      }
    }
    self.users = users
    do throws(CryptographyError) {
      policies = try Self.documents(tenant.policies.map(\.id), tenant.policyObjects)
      configurations = try Self.documents(tenant.configurations.map(\.id), tenant.configurationObjects)
      common = try Document(Self.common(files.tenantFile))
    } catch {
      throw .unparsable(file: "tenant.json", reason: "cannot be hashed: \(error)")
    }
  }

  private static func documents(
    _ ids: [String], _ objects: [JSONObject]
  ) throws(CryptographyError) -> [String: Document] {
    var documents: [String: Document] = [:]
    for (id, object) in zip(ids, objects) { documents[id] = try Document(object) }
    return documents
  }

  private static func common(_ file: JSONObject) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("allowedAccounts", file["allowedAccounts"] ?? .null)
    writer.member("certificatePins", file["certificatePins"].flatMap { $0.isNull ? nil : $0 } ?? [:])
    writer.member("mdm", file["mdm"] ?? .null)
    writer.endObject()
    return Array(writer.bytes.dropFirst().dropLast())
  }

  /// The user of an object id or a user principal name; `nil` if the tenant does not list it.
  package func user(_ name: String) -> TenantUser? { users[name.lowercasedASCII].map { tenant.users[$0] } }
}

extension TenantEdition {
  /// The object id of the user whose data an operation of tenant.json wipes, who may have left; `nil` for a name that the
  /// tenant does not list.
  func targetId(of operation: TenantOperation) -> String? {
    user(operation.user.key)?.id.lowercasedASCII ?? (operation.user.kind == .objectId ? operation.user.key : nil)
  }

  /// The places in `operations` of tenant.json whose users are unknown. What they ordered before stays ordered.
  package var ignoredOperations: [Int] {
    tenant.operations.indices.filter { targetId(of: tenant.operations[$0]) == nil }
  }

  /// A line for the log. Names no user.
  var announcement: String {
    let line = "serving version \(generation) of the tenant"
    let notes = [heldNote, ignoredOperationsNote].compactMap { $0 }
    return notes.isEmpty ? line : "\(line). " + notes.joined(separator: " ")
  }
}

extension TenantEdition {
  private var heldNote: String? {
    guard !held.isEmpty else { return nil }
    return """
      Removals are held back: the tenant keeps \(held.summary), which its source no longer has. Restore what is missing, or \
      accept the removals with mambridge-tenant accept.
      """
  }

  private var ignoredOperationsNote: String? {
    guard !ignoredOperations.isEmpty else { return nil }
    let places = ignoredOperations.map { "operations/\($0)" }.joined(separator: ", ")
    return """
      Nothing new is ordered by \(places) of tenant.json: the tenant does not list the user by that name. Write the object \
      id of the user.
      """
  }
}

/// What a check-in delivers, operations excluded.
package struct WrittenDelivery: Sendable {
  /// Names it. Equal deliveries have equal etags.
  package let etag: String
  /// Members of the answer, with their names: `policies` to `mdm`.
  package let json: [UInt8]
}

extension TenantEdition {
  /// What applies to a user in an app on a platform. `device` is what filters compare. `blocksUnknown` says whether hosts
  /// block accounts whose policies set what the host does not know; `nil` for what tenant.json says.
  package func delivery(
    to user: TenantUser, app: String, on platform: DevicePlatform, _ device: FilterDevice = FilterDevice(),
    blocksUnknown: Bool? = nil
  ) throws(CryptographyError) -> WrittenDelivery {
    let targeting = tenant.targeting(
      of: user, app: app, platform: platform, managementLevel: tenant.managementLevel, on: device)
    let applied = Set(targeting.policies.map(\.id))
    let parts = [
      ("policies", try documents(of: targeting.policies)),
      ("hiddenDefaults", try documents(of: targeting.defaults.filter { !applied.contains($0.id) })),
      ("configurations", targeting.configurations.compactMap { configurations[$0.id] }),
    ]
    var writer = JSONWriter()
    writer.beginObject()
    var hashed = Array(description(of: user).jsonText.utf8)
    for (name, documents) in parts {
      hashed += Array("\n\(name) \(documents.count)\n".utf8)
      writer.name(name)
      writer.beginArray()
      for document in documents {
        writer.raw(document.json)
        hashed += document.digest
      }
      writer.endArray()
    }
    let blocks = blocksUnknown ?? tenant.blocksUnknownRestrictions
    // Hosts take absence for what was last said.
    writer.member("unknownRestrictions", blocks ? "block" : "report")
    if blocks { hashed += Array("\nunknownRestrictions block\n".utf8) }
    writer.endObject()
    let etag = Hex.encode(try SHA256.digest(hashed + common.digest).prefix(16))
    return WrittenDelivery(
      etag: etag, json: writer.bytes.dropFirst().dropLast() + Array(",".utf8) + common.json)
  }

  private func documents(of policies: [PolicyDocument]) throws(CryptographyError) -> [Document] {
    var documents: [Document] = []
    for policy in policies {
      if let document = try document(of: policy) { documents.append(document) }
    }
    return documents
  }

  /// A policy as it applies: with what its filter changes.
  private func document(of policy: PolicyDocument) throws(CryptographyError) -> Document? {
    guard policy.filterNote != nil, let index = tenant.policies.firstIndex(where: { $0.id == policy.id }) else {
      return policies[policy.id]
    }
    return try Document(policy.written(over: tenant.policyObjects[index], of: tenant.policies[index]))
  }

  /// The user as an answer names it.
  package func description(of user: TenantUser) -> JSONObject {
    var clock = JSONValue.null
    if let entry = user.clock {
      clock = ["status": .string(entry.status.rawValue), "updated": entry.updated.map(JSONValue.string) ?? .null]
    }
    return [
      "id": .string(user.id.lowercasedASCII), "tenantId": .string(tenantId),
      "userPrincipalName": .string(user.userPrincipalName), "displayName": .string(user.displayName),
      "mail": user.mail.map(JSONValue.string) ?? .null, "clock": clock,
    ]
  }
}
