import JSON
import MAM
import Model

enum GetSettings: MemoryMethod {
  static let name = "settings.get"
  static let summary =
    "The IntuneMAMSettings in force: value, default, where each comes from and what it means."
  struct Params: Record {
    var names: [NamedSetting]?
    static let fields = Fields(
      Self.init,
      Field("names", \.names, "Only these, by the name in Info.plist or the property's; without it all."))
  }
  typealias Result = [String: SettingReport]
  static let resultSummary = "The settings under the names that were asked for."
  static let example = Example(
    Params(names: [NamedSetting(.backgroundColor)]),
    Result(dictionaryLiteral: ("BackgroundColor", SettingReport(.backgroundColor, value: "#1A2B3C", origin: .override)))
  )
  static let sdkMembers = settingMembers

  static func answer(_ params: Params, _ state: CoreState) -> [String: SettingReport] {
    state.settings.report(params.names)
  }
}

enum SetSettings: WorkMethod {
  static let name = "settings.set"
  static let summary = "Overrides settings for this app, in all its processes and at later starts."
  static let details = """
    An override wins over the settings file and the command line until it is removed by null or "". Those of \
    aadAuthorityUriOverride, aadRedirectUriOverride and aadClientIdOverride also end when the enrolled account is \
    unenrolled and no other one is left. One value that does not fit refuses all; data.path ends with its name. \
    Commit point: the store's transaction.
    """
  struct Params: Record {
    var values: SettingChanges
    static let fields = Fields(
      Self.init,
      Field("values", \.values, "The settings by the name in Info.plist or the property's, each once."))
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

enum AADAuthorityURIs: MemoryMethod {
  static let name = "settings.aadAuthorityUris"
  static let summary = "Where an account signs in, the first choice first."
  static let details = """
    The override (aadAuthorityUriOverride), the authority of the account's tenant as the policy source named it when \
    the account enrolled, then ADALAuthority of the file or its default; each once, and without those there are not.
    """
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("account", \.account, "Who signs in; without it nobody that is known."))
  }
  typealias Result = [String]
  static let resultSummary = "URIs, at least one."
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
