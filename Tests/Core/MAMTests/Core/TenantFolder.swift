import Glibc
import TestSupport

/// A tenant folder that a test writes and edits.
struct TenantFolder: Sendable {
  struct User: Sendable {
    var name: String
    var isLicensed = true
    var isEnabled = true
    var isDeleted = false
    var groups: [String] = []

    /// Object ids differ in their first digits.
    var id: String { TenantFolder.id(name) }
  }

  /// One user for each end that enrolling can have: alice has policy and configuration, bob configuration, carol
  /// neither, dave no license, erin a disabled account, frank a policy of his own.
  static let users = [
    User(name: "alice", groups: ["staff", "mail"]), User(name: "bob", groups: ["mail"]), User(name: "carol"),
    User(name: "dave", isLicensed: false, groups: ["staff"]), User(name: "erin", isEnabled: false, groups: ["staff"]),
    User(name: "frank", groups: ["staff"]),
  ]

  static func upn(_ name: String) -> String { "\(name)@contoso.example" }

  static func id(_ name: String) -> String {
    let letter = Int(name.utf8.first ?? 0)
    return "000000\(letter < 16 ? "0" : "")\(String(letter, radix: 16))-44d7-43e1-9a83-5f2406dee5bd"
  }

  let folder = TemporaryFolder()
  var path: String { folder.path }

  init() {
    writeTenant()
    writePolicy()
    writeConfiguration()
  }

  /// `more` are further members, such as `"mdm": {…},`.
  func writeTenant(users: [User] = users, more: String = "") {
    let users = users.map { user in
      """
      {"id": "\(user.id.uppercased())", "userPrincipalName": "\(Self.upn(user.name))", "displayName": "\(user.name)",
       "licensed": \(user.isLicensed), "accountEnabled": \(user.isEnabled), "deleted": \(user.isDeleted),
       "groups": \(user.groups)}
      """
    }
    folder.write(
      """
      {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso", \(more)
       "users": [\(users.joined(separator: ",\n"))],
       "assignments": [{"policy": "policies/ios.json", "groups": ["staff"]},
                       {"policy": "configurations/mail.json", "groups": ["mail"]}]}
      """, to: "tenant.json")
  }

  func writePolicy(_ members: String = #""pinRequired": true"#) {
    let type = members.contains("@odata.type") ? "" : ##""@odata.type": "#microsoft.graph.iosManagedAppProtection", "##
    folder.write(#"{\#(type)"id": "T_1", "displayName": "iOS", \#(members)}"#, to: "policies/ios.json")
  }

  func writeConfiguration(_ value: String = "Hello {{userprincipalname}}") {
    folder.write(
      ##"""
      {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_1",
       "customSettings": [{"name": "greeting", "value": "\##(value)"}]}
      """##,
      to: "configurations/mail.json")
  }

  func remove(_ file: String) { unlink(folder.file(file)) }
}
