import JSON
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

/// An app that shows several accounts together: a policy of its own for each managed account, Eve without one, and a
/// host that answers the server's questions.
final class SharedWindowWorld {
  static let several = ["MultiIdentity=true", "MultiManagedIdentities=true"]
  static let eve: JSONValue = "eve@home.example"
  static let setAccounts = "policyManager.setUIPolicyAccounts"

  let tenant = TemporaryFolder()
  let folder = TemporaryFolder(inMemory: true)
  private let names: [String]
  let server: TestHost
  let host: EventHost

  /// The members of each account's policy, by the account's name.
  init(
    _ policies: [(name: String, members: String)], mdm: String = "null", flags: [String] = several,
    delegates: [String] = []
  ) throws {
    names = policies.map(\.name)
    for policy in policies {
      tenant.write(
        """
        {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "T_\(policy.name)",
         "displayName": "\(policy.name)", \(policy.members)}
        """, to: "policies/\(policy.name).json")
    }
    Self.writeTenant(to: tenant, names, mdm: mdm)
    server = try Self.server(tenant, folder, flags)
    host = EventHost(server.bridge)
    _ = try host.call("initialize", ["sdkLevel": 21, "delegates": .array(delegates.map(JSONValue.string))])
    for name in names { try host.enroll(Self.upn(name)) }
  }

  static func upn(_ name: String) -> String { name + "@fabrikam.example" }
  static func account(_ name: String) -> JSONValue { name == "eve" ? eve : .string(upn(name)) }
  static func accounts(_ names: [String]) -> JSONValue { .array(names.map(account)) }

  func id(_ name: String) -> JSONValue { .string(Self.id(names.firstIndex(of: name) ?? 0)) }

  private static func id(_ number: Int) -> String { "f10a0000-0000-4000-8000-00000000000\(number + 1)" }

  /// Another process on the same state folder.
  func secondProcess() throws -> TestHost { try Self.server(tenant, folder, Self.several) }

  private static func server(
    _ tenant: TemporaryFolder, _ folder: TemporaryFolder, _ flags: [String]
  ) throws -> TestHost {
    try TestHost(.folder(tenant.path), flags: flags, folder: folder, configure: { $0.pinStretching.cost = 16 })
  }

  private static func writeTenant(
    to tenant: TemporaryFolder, _ names: [String], mdm: String = "null", clocks: [String: String] = [:]
  ) {
    let users = names.enumerated().map { number, name in
      let clock = clocks[name].map { #", "clock": \#($0)"# } ?? ""
      return """
        {"id": "\(id(number))", "userPrincipalName": "\(upn(name))", "groups": ["\(name)"]\(clock)}
        """
    }
    let assignments = names.map { #"{"policy": "policies/\#($0).json", "groups": ["\#($0)"], "apps": ["*"]}"# }
    tenant.write(
      """
      {"tenantId": "f0000000-0000-4000-8000-00000000000f", "displayName": "Fabrikam", "mdm": \(mdm),
       "users": [\(users.joined(separator: ", "))], "assignments": [\(assignments.joined(separator: ", "))]}
      """, to: "tenant.json")
  }

  /// Lets these accounts clock out and the others clock in, and has every account check in.
  func clock(out: Set<String>) throws {
    var clocks: [String: String] = [:]
    for name in names {
      let status = out.contains(name) ? "clockedOut" : "clockedIn"
      clocks[name] = #"{"status": "\#(status)", "updated": "\#(server.clock.now)"}"#
    }
    Self.writeTenant(to: tenant, names, clocks: clocks)
    for isThere in [false, true] { _ = try server.call("device.set", ["networkAvailable": .bool(isThere)]) }
  }
}

/// What a host does and sees.
extension SharedWindowWorld {
  /// The result of a call, while every question is answered.
  func call(
    _ method: String, _ params: JSONObject, answering answer: (JSONValue) throws -> JSONObject = { _ in [:] }
  ) throws -> JSONValue {
    let reply = try host.reply(method, .object(params), answering: answer)
    return try #require(reply["result"], "\(method): \(reply.jsonText)")
  }

  func show(
    _ names: [String], window: String = "inbox", answering answer: (JSONValue) throws -> JSONObject = { _ in [:] }
  ) throws -> JSONValue {
    try call(Self.setAccounts, ["accounts": Self.accounts(names), "window": .string(window)], answering: answer)
  }

  /// The names of the accounts that a window shows; `nil` if it is not set.
  func shown(_ window: String = "inbox") throws -> [String]? {
    try host.call("policyManager.getUIPolicyAccounts", ["window": .string(window)]).arrayValue?.map(Self.name)
  }

  func isLockedDown(_ window: String = "inbox") throws -> Bool {
    try host.call("policyManager.policy", ["window": .string(window)])["lockDown"] == true
  }

  func blocked(on host: TestHost? = nil) throws -> [String] {
    let method = "policyManager.blockedAccounts"
    return try (host?.call(method) ?? self.host.call(method)).arrayValue?.map(Self.name) ?? []
  }

  func reason(_ name: String) throws -> String? {
    try host.call("policyManager.blockedReason", ["account": Self.account(name)]).stringValue
  }

  func setSystem(_ version: String) throws { _ = try host.call("device.set", ["osVersion": .string(version)]) }

  /// How often hosts were told that the policy of an account changed.
  func policyChanges(_ name: String) throws -> Int {
    let events = try server.call("events.list", ["types": [.string(EventTypes.policy)], "limit": 1000])["events"]
    return events?.arrayValue?.count { $0["params"]?["identity"] == Self.account(name) } ?? 0
  }

  /// "nobody" is no user.
  static func name(_ account: JSONValue) -> String {
    let identity = account["identity"]?.stringValue ?? "?"
    return identity.isEmpty ? "nobody" : String(identity.prefix { $0 != "@" })
  }
}

extension EventHost {
  /// The reply to a new request. Until it comes, `answer` answers the server's questions.
  func reply(
    _ method: String, _ params: JSONValue?, answering answer: (JSONValue) throws -> JSONObject
  ) throws -> JSONValue {
    let id = send(method, params)
    while true {
      let message = try nextQuestion(orReplyTo: id)
      guard message["method"] != nil else { return message }
      self.answer(message, try answer(message))
    }
  }
}
