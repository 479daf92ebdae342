import JSON
import MAM
import Model

enum GetSettings: StateMethod {
  static let name = "settings.get"
  static let summary = "Return the IntuneMAMSettings in force, each with its value, default, origin and meaning."
  static let details = """
    A setting is returned under the name that was asked for. Without names, each setting is returned once, under its \
    Info.plist key; at sdkLevel 19, MultiManagedIdentities is returned under its older name, MultipleManagedAccounts.
    """
  struct Params: Record {
    var names: [NamedSetting]?
    static let fields = Fields(
      Self.init,
      Field("names", \.names, "The settings to return, by Info.plist key or property name; defaults to all."))
  }
  typealias Result = [String: SettingReport]
  static let resultSummary = "The settings, by the names that were given."
  static let example = Example(
    Params(names: [NamedSetting(.backgroundColor)]),
    Result(dictionaryLiteral: ("BackgroundColor", SettingReport(.backgroundColor, value: "#1A2B3C", origin: .override)))
  )
  static let sdkMembers = settingMembers

  /// A call, with the SDK level that its host named; `nil` for the level of the setting.
  struct Captured {
    let params: Params
    let level: SDKLevel?
  }

  static func capture(_ params: Params, on connection: BridgeConnection) -> Captured {
    Captured(params: params, level: connection.declaredSDKLevel)
  }

  static func answer(_ arrived: Captured, _ state: CoreState) -> [String: SettingReport] {
    state.settings.report(arrived.params.names, at: arrived.level ?? state.sdkLevel)
  }
}

enum SetSettings: WorkMethod {
  static let name = "settings.set"
  static let summary = "Override settings for this app, in all its processes and at later starts."
  static let details = """
    An override takes precedence over the settings file and the command line until null or "" removes it. Overrides of \
    aadAuthorityUriOverride, aadRedirectUriOverride and aadClientIdOverride also end when the enrolled account is \
    unenrolled and no other account is left. One invalid value rejects all; data.path ends with its name. Commit \
    point: the store transaction.
    """
  struct Params: Record {
    var values: SettingChanges
    static let fields = Fields(
      Self.init,
      Field("values", \.values, "The settings, by Info.plist key or property name, each once."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let example = Example(
    Params(values: SettingChanges([(NamedSetting(.backgroundColor), "#1A2B3C"), (NamedSetting(.accentColor), nil)])),
    Nothing())
  static let sdkMembers = settingMembers

  static func queue(_ params: Params) -> String? { Queue.settings }

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.settingOverrides.override(params.values)
    return Nothing()
  }
}

enum AADAuthorityURIs: StateMethod {
  static let name = "settings.aadAuthorityUris"
  static let summary = "Return the authorities where an account can sign in, in order of preference."
  static let details = """
    The override (aadAuthorityUriOverride), the authority of the account's tenant as the policy source named it when \
    the account enrolled, and ADALAuthority from the settings file or its default. Each is listed once, and those that \
    do not exist are left out.
    """
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("account", \.account, "The account that signs in; null means an unknown user."))
  }
  typealias Result = [String]
  static let resultSummary = "The URIs, at least one."
  static let example = Example(
    Params(account: "alice@contoso.example"),
    Result([
      "https://login.microsoftonline.com/c0000000-0000-4000-8000-000000000000",
      "https://login.microsoftonline.com/common",
    ]))
  static let sdkMembers = ["IntuneMAMSettings +aadAuthorityUrisForIdentity:"]

  static func answer(_ params: Params, _ state: CoreState) -> [String] { state.authorities(of: params.account) }
}

/// The SDK's properties: each is read by `settings.get` and written by `settings.set`.
private let settingMembers = SettingKey.allCases.compactMap(\.property).map { "IntuneMAMSettings \($0)" }
