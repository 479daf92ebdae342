import JSON
import Support

/// What anybody can ask at any time. A few questions behind each step: what is wrong stays wrong.
extension LifeWalk {
  func expectState() throws {
    try expectAccounts("registered", app.accounts)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try expectLists()
    case 1: try expectPolicy(anyName())
    case 2: try expectLife()
    default: try expectData()
    }
  }

  private func expectLists() throws {
    try expectAccounts("enrolled", app.accounts.filter(\.isEnrolled))
    let managed = try call("policyManager.managedAccounts").arrayValue ?? []
    try expect(managed.map(identity), is: upns(app.accounts.filter(\.isManaged)), "managed accounts")
    try expect(identity(call("policyManager.primaryUser")), is: app.primary.map { ModelTenant.upn($0.name) }, "primary")
    try expect(call("policyManager.isManagementEnabled"), is: .bool(app.isManagementEnabled), "management")
  }

  private func upns(_ accounts: [ModelAccount]) -> [String?] { accounts.map { ModelTenant.upn($0.name) } }

  private func identity(_ account: JSONValue) -> String? { account["identity"]?.stringValue?.lowercased() }

  private func expectAccounts(_ kind: String, _ expected: [ModelAccount]) throws {
    let accounts = try call("enrollmentManager.\(kind)Accounts").arrayValue ?? []
    try expect(accounts.map(identity), is: upns(expected), "\(kind) accounts")
  }

  /// No policy and no configuration of who is not enrolled any more.
  private func expectPolicy(_ name: String) throws {
    let (account, params) = (app.account(name), ["account": spelling(name)] as JSONValue)
    let policy = try call("policyManager.policy", params)
    try expect(policy["managed"], is: .bool(account?.isManaged == true), "managed: \(name)")
    let ids = policy["policies"]?.arrayValue?.map { $0["id"]?.stringValue }
    try expect(ids, is: account?.policy.map { ["T_\($0.number)"] } ?? [], "policies of \(name)")
    let length = policy["settings"]?["minimumPinLength"]?["value"]?.integerValue
    try expect(length, is: account?.policy.map { Int64($0.pinLength) }, "PIN length of \(name)")
    try expect(call("policy.isPINRequired", params), is: .bool(account?.isManaged == true), "PIN of \(name)")
    let isEncrypted = account?.policy?.encrypts == true
    try expect(call("policy.isFileEncryptionRequired", params), is: .bool(isEncrypted), "encryption of \(name)")
    let greeting = try call("appConfig.stringValueForKey", ["key": "greeting", "account": params["account"] ?? .null])
    try expect(greeting.stringValue, is: account?.configuration.greeting, "greeting of \(name)")
  }

  /// Where each stands, and when it checks in next.
  private func expectLife() throws {
    let accounts = try call("tenant.status")["accounts"]?.arrayValue ?? []
    let lives = accounts.map { account in
      [
        identity(account), account["life"]?.stringValue, account["nextCheckInAt"]?.stringValue,
        account["lastStatus"]?["statusCode"]?.integerValue.map { "\($0)" },
      ]
    }
    let expected = app.accounts.map { account in
      [
        ModelTenant.upn(account.name), account.life, Timestamp(milliseconds: account.due).description,
        "\(account.code)",
      ]
    }
    try expect(lives, is: expected, "lives")
  }

  /// Any of what was ever protected: its owner reads it, and nobody else does.
  private func expectData() throws {
    guard let data = app.data.randomElement(using: &random) else { return }
    let owner = try call("dataProtectionManager.protectionInfoForString", ["string": .string(data.protected)])
    try expect(identity(owner), is: ModelTenant.upn(data.owner), "owner")
    let reply = try reply("dataProtectionManager.unprotectString", ["string": .string(data.protected)])
    switch app.unprotects(data) {
    case .success(let text): try expect(reply["result"], is: .string(text), "data of \(data.owner)")
    case .failure(let error):
      try expect(reply["error"]?["code"]?.integerValue, is: error.rawValue, "error for data of \(data.owner)")
    }
  }
}
