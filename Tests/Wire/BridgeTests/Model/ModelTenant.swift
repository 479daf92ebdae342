import Glibc
import TestSupport

/// A tenant as an administrator edits it, and its folder.
struct ModelTenant {
  enum Source: CaseIterable { case good, damaged, missing }

  struct User {
    var isListed = true
    var isLicensed = true
    var isEnabled = true
    var isBlocked = false
    /// Numbers of what is assigned to it.
    var policy: Int?
    var configuration: Int?
  }

  struct Policy: Equatable {
    var number: Int
    var pinLength: Int

    var encrypts: Bool { number == 1 }
  }

  struct Configuration: Equatable {
    var greeting: String?
    var isManaged = false

    var isEmpty: Bool { self == Configuration() }
  }

  static let names = ["ann", "ben", "cem", "dan", "eve"]

  static func upn(_ name: String) -> String { name + "@contoso.example" }

  static func id(_ name: String) -> String { "0000000\(names.firstIndex(of: name) ?? 9)-44d7-43e1-9a83-5f2406dee5bd" }

  var users = Dictionary(uniqueKeysWithValues: names.map { ($0, User(isListed: $0 != "eve")) })
  var source = Source.good
  /// The contents of the policies and of the configurations, by their numbers.
  var pinLengths = [4, 4, 4]
  var greetings = ["hello", "good day"]
  /// For whom the device is managed.
  var mdm: String?
  var allowed: [String]?
  /// The user of each single wipe, which are told apart by their numbers.
  var wipes: [String] = []

  func policy(of name: String) -> Policy? {
    users[name]?.policy.map { Policy(number: $0, pinLength: pinLengths[$0]) }
  }

  func configuration(of name: String) -> Configuration {
    Configuration(greeting: users[name]?.configuration.map { greetings[$0] }, isManaged: mdm == name)
  }
}

extension ModelTenant {
  func write(to folder: TemporaryFolder) {
    let (place, away) = (folder.file("tenant"), folder.file("away"))
    if access(away, F_OK) == 0 { rename(away, place) }
    folder.write(tenantText, to: "tenant/tenant.json")
    for (number, length) in pinLengths.enumerated() {
      let encryption = number == 1 ? #""appDataEncryptionType": "whenDeviceLocked","# : ""
      let text =
        ##"{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_\##(number)", \##(encryption) "pinRequired": true, "minimumPinLength": \##(length)}"##
      folder.write(source == .damaged && number == 2 ? "{" : text, to: "tenant/policies/p\(number).json")
    }
    for (number, greeting) in greetings.enumerated() {
      folder.write(
        ##"{"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "A_\##(number)", "customSettings": [{"name": "greeting", "value": "\##(greeting)"}]}"##,
        to: "tenant/configurations/c\(number).json")
    }
    if source == .missing { rename(place, away) }
  }

  private var tenantText: String {
    let listed = Self.names.compactMap { name in users[name].flatMap { $0.isListed ? text(of: $0, name) : nil } }
    let policies = pinLengths.indices.map { #"{"policy": "policies/p\#($0).json", "groups": ["p\#($0)"]}"# }
    let configurations = greetings.indices.map {
      #"{"policy": "configurations/c\#($0).json", "groups": ["c\#($0)"]}"#
    }
    let mdm = mdm.map { #"{"user": "\#(Self.upn($0))", "appConfig": {"managed": "yes"}}"# } ?? "null"
    let allowed = allowed.map { "\($0.map(Self.upn))" } ?? "null"
    return """
      {"tenantId": "6babcaad-604b-40ac-a9d7-9fd97c0b779f", "displayName": "Contoso", "mdm": \(mdm),
       "allowedAccounts": \(allowed), "operations": [\(operations.joined(separator: ",\n"))], "users": [\(listed.joined(separator: ",\n"))],
       "assignments": [\((policies + configurations).joined(separator: ",\n"))]}
      """
  }

  private var operations: [String] {
    let blocks = Self.names.filter { users[$0]?.isBlocked == true }.map {
      #"{"type": "wipeAndBlock", "app": "*", "user": "\#(Self.upn($0))"}"#
    }
    let wipes = wipes.enumerated().map { number, name in
      let time = "2026-01-01T00:\(number / 60 % 60 + 10):\(number % 60 + 10)Z"
      return #"{"type": "wipe", "app": "*", "user": "\#(Self.upn(name))", "requestedDateTime": "\#(time)"}"#
    }
    return blocks + wipes
  }

  private func text(of user: User, _ name: String) -> String {
    let groups = [user.policy.map { "p\($0)" }, user.configuration.map { "c\($0)" }].compactMap { $0 }
    return """
      {"id": "\(Self.id(name))", "userPrincipalName": "\(Self.upn(name))", "licensed": \(user.isLicensed),
       "accountEnabled": \(user.isEnabled), "groups": \(groups)}
      """
  }
}
