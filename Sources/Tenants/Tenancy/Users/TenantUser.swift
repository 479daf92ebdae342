import JSON
import Model
import Policy

/// A user that the tenant lists.
package struct TenantUser: Hashable, Sendable {
  package struct ClockEntry: Hashable, Sendable {
    package var status: ClockStatus
    /// A time in RFC 3339, as written in the file.
    package var updated: String?
  }

  /// The Entra object id.
  package var id: String
  package var userPrincipalName: String
  package var displayName: String
  package var mail: String?
  package var isLicensed: Bool
  /// Whether the user may sign in; false for a deleted user.
  package var isEnabled: Bool
  /// Whether the source says that the account was deleted. A user who is merely not listed is not known to be.
  package var isDeleted = false
  /// Names or ids of groups.
  package var groups: [String]
  package var clock: ClockEntry?

  /// Whether this is the user's object id or user principal name, in lower case.
  func isNamed(_ key: String) -> Bool {
    id.lowercasedASCII == key || userPrincipalName.lowercasedASCII == key
  }

  /// Whether the source lists the user without an id.
  var hasDerivedID: Bool { id == Self.derivedID(of: userPrincipalName) }

  private static func derivedID(of name: String) -> String { name.lowercasedASCII.derivedGUID }

  package var account: Account { Account(accountId: id.lowercasedASCII, identity: userPrincipalName) }
}

extension ConfigTokens {
  package init(user: TenantUser, tenantID: String) {
    self.init(
      userId: user.id, userPrincipalName: user.userPrincipalName, displayName: user.displayName, mail: user.mail,
      tenantId: tenantID)
  }
}

/// The members of a user in tenant.json. A member that is absent is `nil`.
struct ListedUser {
  var id: String?
  var displayName: String?
  var mail: String?
  var licensed: Bool?
  var accountEnabled: Bool?
  var deleted: Bool?
  var groups: [String]?
  var clock: TenantUser.ClockEntry?
}

extension TenantUser {
  /// `name` is the user principal name.
  init(named name: String, _ listed: ListedUser) {
    let isDeleted = listed.deleted ?? false
    self.init(
      id: listed.id.nonEmpty ?? Self.derivedID(of: name), userPrincipalName: name,
      displayName: listed.displayName.nonEmpty ?? name, mail: listed.mail.nonEmpty,
      isLicensed: listed.licensed ?? true, isEnabled: listed.accountEnabled ?? true && !isDeleted,
      isDeleted: isDeleted, groups: listed.groups ?? [], clock: listed.clock)
  }

  /// Reads a user, and appends what is wrong with it to `warnings`.
  init(_ members: MemberReader, _ warnings: inout [PolicyWarning]) throws(TenantError) {
    let name = try members.required("userPrincipalName")
    var listed = ListedUser()
    listed.deleted = try members.bool("deleted")
    listed.id = try members.string("id")
    listed.displayName = try members.string("displayName")
    listed.mail = try members.string("mail")
    listed.licensed = try members.bool("licensed")
    listed.accountEnabled = try members.bool("accountEnabled")
    listed.groups = try members.strings("groups")
    listed.clock = try ClockEntry(ofUser: members, &warnings)
    self.init(named: name, listed)
    if !id.isGUID { warnings.append(members.warning("id", "is not a GUID, so it cannot serve as an object id")) }
    warnings += members.warnings(besides: [
      "id", "userPrincipalName", "displayName", "mail", "licensed", "accountEnabled", "deleted", "groups", "clock",
    ])
  }
}

extension TenantUser.ClockEntry {
  /// `nil` if the user has none.
  fileprivate init?(ofUser user: MemberReader, _ warnings: inout [PolicyWarning]) throws(TenantError) {
    guard let members = try user.object("clock") else { return nil }
    warnings += members.warnings(besides: ["status", "updated"])
    let status = try members.required("status")
    updated = try members.string("updated")
    self.status = ClockStatus(rawValue: status) ?? .unknown
    guard ClockStatus(rawValue: status) == nil else { return }
    warnings.append(members.warning("status", "\(status) is not a known status and counts as unknown"))
  }
}

extension String {
  /// A GUID derived from the text (FNV-1a, as a version 8 UUID), for a user without an id. Equal texts have equal
  /// GUIDs.
  var derivedGUID: String {
    func hash(_ seed: UInt64) -> UInt64 { utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } }
    let words = [hash(0xCBF2_9CE4_8422_2325), hash(0x8422_2325_CBF2_9CE4)]
    var bytes = words.flatMap { word in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
    }
    bytes[8] &= 0x0F
    return String(uuid: bytes, version: 8)
  }
}
