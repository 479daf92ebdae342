import JSON
import Model

package enum GetSettings: Method {
  package static let name = "settings.get"
  package static let summary =
    "The IntuneMAMSettings in force: value, default, where each comes from and what it means."
  package struct Params: Record {
    package var names: [NamedSetting]?
    package static let fields = Fields(
      Self.init(names:),
      Field("names", \.names, "Only these, by the name in Info.plist or the property's; without it all."))
  }
  package typealias Result = [String: SettingReport]
  package static let resultSummary = "The settings under the names that were asked for."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(names: [NamedSetting(.backgroundColor)]),
    Result(dictionaryLiteral: ("BackgroundColor", SettingReport(.backgroundColor, value: "#1A2B3C", origin: .override)))
  )
  package static let sdkMembers = settingMembers
}

package enum SetSettings: Method {
  package static let name = "settings.set"
  package static let summary = "Overrides settings for this app, in all its processes and at later starts."
  package static let details = """
    An override wins over the settings file and the command line until it is removed by null or "". Those of \
    aadAuthorityUriOverride, aadRedirectUriOverride and aadClientIdOverride also end when the enrolled account is \
    unenrolled and no other one is left. One value that does not fit refuses all; data.path ends with its name. \
    Commit point: the store's transaction.
    """
  package struct Params: Record {
    package var values: SettingChanges
    package static let fields = Fields(
      Self.init(values:),
      Field("values", \.values, "The settings by the name in Info.plist or the property's, each once."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(values: SettingChanges([(NamedSetting(.backgroundColor), "#1A2B3C"), (NamedSetting(.accentColor), nil)])),
    Nothing())
  package static let sdkMembers = settingMembers
}

package enum AADAuthorityURIs: Method {
  package static let name = "settings.aadAuthorityUris"
  package static let summary = "Where an account signs in, the first choice first."
  package static let details = """
    The override (aadAuthorityUriOverride), the authority of the account's tenant as the policy source named it when \
    the account enrolled, then ADALAuthority of the file or its default; each once, and without those there are not.
    """
  package struct Params: Record {
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(account:), Field("account", \.account, "Who signs in; without it nobody that is known."))
  }
  package typealias Result = [String]
  package static let resultSummary = "URIs, at least one."
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(account: "alice@contoso.example"),
    Result([
      "https://login.microsoftonline.com/c0000000-0000-4000-8000-000000000000",
      "https://login.microsoftonline.com/common",
    ]))
  package static let sdkMembers = ["IntuneMAMSettings +aadAuthorityUrisForIdentity:"]
}

/// The SDK's properties: each is read by `settings.get` and written by `settings.set`.
private let settingMembers = SettingKey.all.compactMap(\.property).map { "IntuneMAMSettings \($0)" }
