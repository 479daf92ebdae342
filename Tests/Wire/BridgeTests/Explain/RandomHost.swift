import JSON
import Model
import Policy
import TestSupport

/// A host of two accounts with random policies, some identities set.
struct RandomHost {
  let host: TestHost
  var params: RandomParams

  init(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let kind: PolicyKind = seed.isMultiple(of: 3) ? .android : .ios
    let folder = TenantFolder()
    for name in ["listed", "closed"] {
      folder.write(Self.policy(name, kind, &random), to: "policies/\(name).json")
    }
    let flags = ["MultiIdentity", "TreatAllWebViewsAsUnmanaged"].map { "\($0)=\(Bool.random(using: &random))" }
    host = try TestHost(tenantFolder: folder, flags: flags + ["MultiManagedIdentities=true"])
    _ = try host.call("device.set", ["platform": .string(kind.rawValue), "managedAppSchemes": ["itms"]])
    try host.enroll("listed@fabrikam.example")
    try host.enroll("closed@fabrikam.example")
    params = RandomParams(
      files: try Self.files(host), texts: try Self.contents(host, "protectString", "string", "hello"),
      data: try Self.contents(host, "protect", "data", "AAEC"), random: random)
  }

  /// Sets one identity, or none.
  mutating func setIdentity() throws {
    let account = params.pick(RandomParams.accounts + [.null, ""])
    switch UInt8.random(in: 0..<4, using: &params.random) {
    case 0: _ = try host.call("policyManager.setProcessIdentity", [account])
    case 1:
      _ = try host.call("policyManager.setCurrentThreadIdentity", [account, params.pick(RandomParams.threads)])
    // Its conditional launch may stand against it.
    case 2: _ = try host.reply("policyManager.setUIPolicyIdentity", [account, params.pick(RandomParams.windows)])
    default:
      let policy = params.pick(["unset", "unmanaged", "currentIdentity", "currentIdentityBlockUpload"])
      _ = try host.call("policyManager.setWebViewPolicy", ["Default", policy])
    }
  }

  private static func policy(_ name: String, _ kind: PolicyKind, _ random: inout SeededGenerator) -> String {
    var policy: JSONObject = [
      "@odata.type": .string("#microsoft.graph.\(kind.rawValue)ManagedAppProtection"), "id": .string("T_\(name)"),
      "displayName": .string(name),
    ]
    for definition in SettingDefinition.all where definition.role.decides && definition.kinds.contains(kind) {
      if Bool.random(using: &random) { policy[definition.name.rawValue] = definition.type.random(&random) }
    }
    return policy.jsonText
  }

  private static func files(_ host: TestHost) throws -> [JSONValue] {
    let paths = (0..<2).map { JSONValue.string(host.folder.write("plain", to: "file\($0)")) }
    _ = try host.call("fileProtectionManager.protect", [paths[0], RandomParams.accounts[1]])
    return paths
  }

  private static func contents(
    _ host: TestHost, _ method: String, _ name: String, _ plain: JSONValue
  ) throws -> [JSONValue] {
    [plain]
      + (try [RandomParams.accounts[0], RandomParams.accounts[1], "eve@home.example"].map { account in
        try host.call("dataProtectionManager.\(method)", .object([name: plain, "account": account]))
      })
  }
}
