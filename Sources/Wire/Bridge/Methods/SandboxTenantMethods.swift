import JSON
import MAM
import Model
import Policy
import Support
import Tenancy

enum SetSandboxUser: TenantChangingMethod {
  static let name = "sandbox.setUser"
  static let summary = "Add a user to the tenant, or change one."
  static let details =
    "A member that is absent or null keeps its value. Counts at the next check-in of the user, as all changes of the tenant."
  struct Params: Record {
    var name: String
    var id: String?
    var displayName: String?
    var mail: String?
    var groups: [String]?
    var licensed: Bool?
    var enabled: Bool?
    static let fields = Fields(
      Self.init, Field("name", \.name, "The user principal name, which the tenant keeps in any case."),
      Field("id", \.id, "The Entra object id, a GUID; by default one that follows from the name."),
      Field("displayName", \.displayName, "The name that people see."),
      Field("mail", \.mail, "The mail address, for app configurations."),
      Field("groups", \.groups, "The names of all groups of the user."),
      Field("licensed", \.licensed, "Whether the user has a license, as a new user does."),
      Field("enabled", \.enabled, "Whether the user may sign in, as a new user may."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(
    Params(name: "erin@contoso.example", groups: ["staff"], licensed: true), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Nothing {
    if let id = params.id, !id.isGUID {
      throw MAMError(.invalidParams, "/id: must be a GUID in 8-4-4-4-12 form", path: "/id")
    }
    let members: [(String, JSONValue?)] = [
      ("id", params.id.map(JSONValue.string)), ("displayName", params.displayName.map(JSONValue.string)),
      ("mail", params.mail.map(JSONValue.string)),
      ("groups", params.groups.map { .array($0.map(JSONValue.string)) }),
      ("licensed", params.licensed.map(JSONValue.bool)), ("accountEnabled", params.enabled.map(JSONValue.bool)),
    ]
    try await sandbox.changeTenant { tenant throws(TenantWriteError) in
      try tenant.setUser(params.name, members.compactMap { name, value in value.map { (name, $0) } })
    }
    return Nothing()
  }
}

enum RemoveSandboxUser: TenantChangingMethod {
  static let name = "sandbox.removeUser"
  static let summary = "Remove a user from the tenant's list."
  static let details =
    "A user who is merely not listed any longer keeps the account and its last policy; to end an account, disable its user."
  struct Params: Record {
    var name: String
    static let fields = Fields(
      Self.init, Field("name", \.name, "The user principal name or object id."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(name: "bob@contoso.example"), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Nothing {
    try await sandbox.changeTenant { tenant throws(TenantWriteError) in try tenant.removeUser(params.name) }
    return Nothing()
  }
}

extension SandboxMethod {
  /// Lets the story say that a policy or a configuration was replaced, and for which groups that was; `nil` for none.
  fileprivate static func remark(replacementOf what: String, for groups: [String]?, in sandbox: Sandbox) {
    guard let groups else { return }
    let audience = groups.isEmpty ? "" : " for \(groups.map { $0 == "*" ? "everybody" : $0 }.listedInWords)"
    sandbox.story.remark("in place of the \(what)\(audience)", on: name)
  }
}

enum SetSandboxPolicy: TenantChangingMethod {
  static let name = "sandbox.setPolicy"
  static let summary = "Write an app protection policy into the tenant, in place of the one of the same name."
  static let details = """
    Without a name, the policy replaces the one that was written before for the same audience; with a name, it is one \
    more. Other policies for the same users stay and are merged with it, the strictest value first, as those of any \
    tenant. An unknown name or an invalid value of a setting rejects the whole policy; data.path ends with the name. Counts at \
    the next check-in; debug.setPolicy takes effect at once, and without a tenant.
    """
  struct Params: Record {
    var audience: String
    var settings: TestSettings
    var platform: DevicePlatform?
    var apps: [String]?
    var name: String?
    static let fields = Fields(
      Self.init,
      Field("audience", \.audience, "A user by name or object id, a group of a user by name, or \"*\" for everybody."),
      Field("settings", \.settings, "All settings of the policy, by their names in Graph or in the SDK."),
      Field("platform", \.platform, "The platform of the policy; defaults to that of the device."),
      Field("apps", \.apps, "The ids of the apps; defaults to every app."),
      Field(
        "name", \.name,
        "The display name of the policy; by default one for the audience, \"Sandbox for alice@contoso.example\"."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(
    Params(audience: "alice@contoso.example", settings: TestSettings([.saveAsBlocked: .bool(true)])), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Nothing {
    try connection.core.refresh()
    let kind = (params.platform ?? connection.core.state.device.platform).policyKind
    let replaced = try await sandbox.changeTenant { tenant throws(TenantWriteError) in
      try tenant.setPolicy(
        named: params.name, params.settings, kind: kind,
        for: WrittenTargeting(audience: params.audience, apps: params.apps))
    }
    remark(replacementOf: "policy", for: replaced, in: sandbox)
    return Nothing()
  }
}

enum RemoveSandboxPolicy: TenantChangingMethod {
  static let name = "sandbox.removePolicy"
  static let summary = "Remove a policy or an app configuration from the tenant."
  static let details = "Counts at the next check-in."
  struct Params: Record {
    var name: String
    static let fields = Fields(
      Self.init, Field("name", \.name, "The display name or id, of a policy of the tenant or of sandbox.setPolicy."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(name: "Sandbox for everybody"), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Nothing {
    try await sandbox.changeTenant { tenant throws(TenantWriteError) in try tenant.removePolicy(named: params.name) }
    return Nothing()
  }
}

enum SetSandboxConfiguration: TenantChangingMethod {
  static let name = "sandbox.setConfiguration"
  static let summary = "Write an app configuration into the tenant, in place of the one of the same name."
  static let details = """
    Without a name, it replaces the one that was written before for the same audience. Counts at the next check-in. \
    sandbox.removePolicy removes it.
    """
  struct Params: Record {
    var audience: String
    var settings: [String: String]
    var apps: [String]?
    var name: String?
    static let fields = Fields(
      Self.init,
      Field("audience", \.audience, "A user by name or object id, a group of a user by name, or \"*\" for everybody."),
      Field("settings", \.settings, "The values by their keys, as appConfig.* returns them."),
      Field("apps", \.apps, "The ids of the apps; defaults to every app."),
      Field(
        "name", \.name,
        "The display name of the configuration; by default one for the audience, \"Sandbox for everybody\"."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(audience: "*", settings: ["server": "mail.contoso.example"]), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Nothing {
    let replaced = try await sandbox.changeTenant { tenant throws(TenantWriteError) in
      try tenant.setConfiguration(
        named: params.name, params.settings,
        for: WrittenTargeting(audience: params.audience, apps: params.apps))
    }
    remark(replacementOf: "configuration", for: replaced, in: sandbox)
    return Nothing()
  }
}

enum SetSandboxAllowedAccounts: TenantChangingMethod {
  static let name = "sandbox.setAllowedAccounts"
  static let summary = "Let only these accounts enroll, or every account again."
  static let details = "Counts at the next check-in."
  struct Params: Record {
    var accounts: [String]?
    static let fields = Fields(
      Self.init,
      Field(required: "accounts", \.accounts, "User principal names or object ids; null allows every account."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(Params(accounts: ["alice@contoso.example"]), Nothing())

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> Nothing {
    try await sandbox.changeTenant { tenant throws(TenantWriteError) in try tenant.setAllowedAccounts(params.accounts) }
    return Nothing()
  }
}

enum WipeSandboxAccount: TenantChangingMethod {
  static let name = "sandbox.wipe"
  static let summary = "Order a wipe of an account's data, as an administrator does."
  static let details = """
    The wipe arrives at the next check-in of the account, or with push before this call is answered. The program that \
    checks in does the wipe and asks its own host: to let an app that joined do it, leave out push, and let the app call \
    tenant.checkIn. Each call orders another wipe.
    """
  struct Params: Record {
    var account: TestedAccount
    var app: String?
    var push: Bool
    static let fields = Fields(
      Self.init, Field("account", \.account, "A user of the tenant."),
      Field("app", \.app, "The id of the app whose data is wiped; defaults to every app."),
      Field("push", \.push, default: false, "Whether the account checks in at once."))
  }
  typealias Result = [EnrollmentStatus]
  static let resultSummary = "With push, how the check-in ended; otherwise empty."
  static let errors: [ErrorCode] = [.challenge, .networkFailed]
  static let example = Example(
    Params(account: TestedAccount("alice@contoso.example"), push: false), [] as [EnrollmentStatus])

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) async throws(MAMError) -> [EnrollmentStatus] {
    let (core, reference) = (connection.core, params.account.reference)
    let now = core.now
    try await sandbox.changeTenant { tenant throws(TenantWriteError) in
      try tenant.orderWipe(of: reference.text, app: params.app, at: now)
    }
    return params.push ? try await core.enrollment.checkInAndFollowUp(reference) : []
  }
}

enum GetSandboxContents: SandboxMethod {
  static let name = "sandbox.contents"
  static let summary = "Return what the tenant of the sandbox contains, and the names of the saves."
  static let details = "The files as they are now. What an account has got of them is in policyManager.policy."
  typealias Params = NoParameters
  struct Result: Record {
    var users: [SandboxUser]
    var policies: [SandboxPolicy]
    var configurations: [SandboxConfiguration]
    var allowedAccounts: [String]?
    var saves: [String]
    static let schemaName = "SandboxContents"
    static let fields = Fields(
      Self.init, Field("users", \.users, "The users, in the order of the tenant."),
      Field("policies", \.policies, "The app protection policies, sorted by id."),
      Field("configurations", \.configurations, "The app configurations, sorted by id."),
      Field("allowedAccounts", \.allowedAccounts, "The accounts that may enroll; null for every account."),
      Field("saves", \.saves, "The names that sandbox.restore takes."))
  }
  static let resultSummary = "The contents."
  static let example = Example(
    Result(
      users: [
        SandboxUser(
          name: "alice@contoso.example", id: "87d349ed-44d7-43e1-9a83-5f2406dee5bd", displayName: "Alice Adams",
          mail: "alice.adams@contoso.example", groups: ["staff"], licensed: true, enabled: true)
      ],
      policies: [
        SandboxPolicy(
          name: "Sandbox for staff", audience: ["staff"], platforms: [.ios], apps: nil,
          settings: ["saveAsBlocked": true])
      ],
      configurations: [
        SandboxConfiguration(name: "Mail", audience: ["*"], apps: nil, settings: ["server": "mail.contoso.example"])
      ], allowedAccounts: nil, saves: ["enrolled"]))

  static func answer(
    _ params: Params, in sandbox: Sandbox, on connection: BridgeConnection
  ) throws(MAMError) -> Result {
    let (tenant, saves) = try sandbox.contents()
    return Result(
      users: tenant.users.map(SandboxUser.init), policies: tenant.policies.map { SandboxPolicy($0, in: tenant) },
      configurations: tenant.configurations.map { SandboxConfiguration($0, in: tenant) },
      allowedAccounts: tenant.allowedAccounts?.map(\.text), saves: saves)
  }
}

/// A user of the tenant, with the members of sandbox.setUser.
struct SandboxUser: Record {
  var name: String
  var id: String
  var displayName: String
  var mail: String?
  var groups: [String]
  var licensed: Bool
  var enabled: Bool
  static let fields = Fields(
    Self.init, Field("name", \.name, "The user principal name."), Field("id", \.id, "The Entra object id."),
    Field("displayName", \.displayName, "The name that people see."),
    Field("mail", \.mail, "The mail address."), Field("groups", \.groups, "The names of the groups of the user."),
    Field("licensed", \.licensed, "Whether the user has a license."),
    Field("enabled", \.enabled, "Whether the user may sign in."))
}

extension SandboxUser {
  init(_ user: TenantUser) {
    self.init(
      name: user.userPrincipalName, id: user.id, displayName: user.displayName, mail: user.mail, groups: user.groups,
      licensed: user.isLicensed, enabled: user.isEnabled)
  }
}

/// A policy of the tenant.
struct SandboxPolicy: Record {
  var name: String
  var audience: [String]
  var platforms: [DevicePlatform]
  var apps: [String]?
  var settings: JSONObject
  static let fields = Fields(
    Self.init, Field("name", \.name, "The display name."),
    Field("audience", \.audience, "Names or ids of groups; \"*\" is everybody, and the name of a user that user."),
    Field("platforms", \.platforms, "The platforms that the policy is for."),
    Field("apps", \.apps, "The ids of the apps; null for every app."),
    Field("settings", \.settings, "The settings that have a value, by their names in Graph."))
}

extension SandboxPolicy {
  init(_ policy: PolicyDocument, in tenant: TenantSnapshot) {
    let targets = tenant.targets(of: policy.targeting, in: policy.source)
    self.init(
      name: policy.displayName, audience: targets.groups, platforms: policy.kind.platforms, apps: targets.apps,
      settings: TestSettings(policy.settings).graphMembers)
  }
}

/// An app configuration of the tenant.
struct SandboxConfiguration: Record {
  var name: String
  var audience: [String]
  var apps: [String]?
  var settings: [String: String]
  static let fields = Fields(
    Self.init, Field("name", \.name, "The display name."),
    Field("audience", \.audience, "Names or ids of groups; \"*\" is everybody, and the name of a user that user."),
    Field("apps", \.apps, "The ids of the apps; null for every app."),
    Field("settings", \.settings, "The values by their keys."))
}

extension SandboxConfiguration {
  init(_ configuration: ConfigurationDocument, in tenant: TenantSnapshot) {
    let targets = tenant.targets(of: configuration.targeting, in: configuration.source)
    self.init(
      name: configuration.displayName, audience: targets.groups, apps: targets.apps,
      settings: Dictionary(configuration.customSettings.map { ($0.name, $0.value) }) { $1 })
  }
}
