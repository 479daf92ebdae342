import JSON
import MAM
import Model

enum AppConfigFullData: MemoryMethod {
  static let name = "appConfig.fullData"
  static let summary = "All configuration of an account in this app, one object for each source."
  struct Params: Record {
    var account: AccountReference?
    static let fields = Fields(Self.init, Field("account", \.account, accountSummary))
  }
  typealias Result = [JSONObject]
  static let resultSummary = """
    Sorted by the ids of the sources; the tenant's default carries __IsDefault. Empty before enrollment.
    """
  static let example = Example(
    Params(account: "alice@contoso.example"), Result([["serverURL": "https://mail.contoso.example"]]))
  static let sdkMembers = [
    "IntuneMAMAppConfig fullData", "IntuneMAMAppConfigManager -appConfigForIdentity:",
    "IntuneMAMAppConfigManager -appConfigForAccountId:",
  ]

  static func answer(_ params: Params, _ state: CoreState) -> [JSONObject] {
    state.appConfig(of: params.account).fullData
  }
}

enum AppConfigHasConflict: MemoryMethod {
  static let name = "appConfig.hasConflict"
  static let summary = "Do targeted values of a key differ?"
  typealias Params = ConfigKey
  typealias Result = Bool
  static let resultSummary = "Whether they differ; the tenant's default does not count."
  static let example = Example(Params(key: "theme", account: "alice@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMAppConfig -hasConflict:"]

  static func answer(_ params: Params, _ state: CoreState) -> Bool {
    state.appConfig(of: params.account).hasConflict(params.key)
  }
}

enum AppConfigBoolValue: MemoryMethod {
  static let name = "appConfig.boolValueForKey"
  static let summary = "The boolean of a key."
  typealias Params = ConfigQuery<BoolQueryType>
  typealias Result = Bool?
  static let resultSummary = "From true, false, 1, 0, yes, no in any case; null when there is none."
  static let example = Example<Params, Result>(Params(key: "darkMode", queryType: .or), true)
  static let sdkMembers = ["IntuneMAMAppConfig -boolValueForKey:queryType:"]

  static func answer(_ params: Params, _ state: CoreState) -> Bool? {
    state.appConfig(of: params.account).bool(params.key, params.queryType)
  }
}

enum AppConfigNumberValue: MemoryMethod {
  static let name = "appConfig.numberValueForKey"
  static let summary = "The number of a key."
  typealias Params = ConfigQuery<NumberQueryType>
  typealias Result = ConfigNumber?
  static let resultSummary = "From text in JSON's grammar of numbers; null when there is none."
  static let example = Example<Params, Result>(Params(key: "maxItems", queryType: .max), .integer(50))
  static let sdkMembers = ["IntuneMAMAppConfig -numberValueForKey:queryType:"]

  static func answer(_ params: Params, _ state: CoreState) -> ConfigNumber? {
    state.appConfig(of: params.account).number(params.key, params.queryType)
  }
}

enum AppConfigStringValue: MemoryMethod {
  static let name = "appConfig.stringValueForKey"
  static let summary = "The text of a key."
  typealias Params = ConfigQuery<StringQueryType>
  typealias Result = String?
  static let resultSummary = "min and max compare UTF-8 bytes; null when there is none."
  static let example = Example<Params, Result>(
    Params(key: "greeting", account: "alice@contoso.example"), "Hello alice@contoso.example")
  static let sdkMembers = ["IntuneMAMAppConfig -stringValueForKey:queryType:"]

  static func answer(_ params: Params, _ state: CoreState) -> String? {
    state.appConfig(of: params.account).string(params.key, params.queryType)
  }
}

enum AppConfigAllBools: MemoryMethod {
  static let name = "appConfig.allBoolsForKey"
  static let summary = "Every boolean of a key."
  typealias Params = ConfigKey
  typealias Result = [Bool]
  static let resultSummary = "The targeted ones, else the default; empty when there is none."
  static let example = Example(Params(key: "darkMode"), Result([true, false]))
  static let sdkMembers = ["IntuneMAMAppConfig -allBoolsForKey:"]

  static func answer(_ params: Params, _ state: CoreState) -> [Bool] {
    state.appConfig(of: params.account).bools(params.key)
  }
}

enum AppConfigAllNumbers: MemoryMethod {
  static let name = "appConfig.allNumbersForKey"
  static let summary = "Every number of a key."
  typealias Params = ConfigKey
  typealias Result = [ConfigNumber]
  static let resultSummary = "The targeted ones, else the default; empty when there is none."
  static let example = Example(Params(key: "maxItems"), Result([.integer(20), .integer(50)]))
  static let sdkMembers = ["IntuneMAMAppConfig -allNumbersForKey:"]

  static func answer(_ params: Params, _ state: CoreState) -> [ConfigNumber] {
    state.appConfig(of: params.account).numbers(params.key)
  }
}

enum AppConfigAllStrings: MemoryMethod {
  static let name = "appConfig.allStringsForKey"
  static let summary = "Every text of a key."
  typealias Params = ConfigKey
  typealias Result = [String]
  static let resultSummary = "The targeted ones, else the default; empty when there is none."
  static let example = Example(Params(key: "theme"), Result(["blue", "green"]))
  static let sdkMembers = ["IntuneMAMAppConfig -allStringsForKey:"]

  static func answer(_ params: Params, _ state: CoreState) -> [String] {
    state.appConfig(of: params.account).strings(params.key)
  }
}

/// A key of an account's configuration.
struct ConfigKey: Record {
  var key: String
  var account: AccountReference?
  static let fields = Fields(
    Self.init, Field("key", \.key, keySummary), Field("account", \.account, accountSummary))
}

/// A key, and which of its values is wanted.
struct ConfigQuery<QueryType: ConfigQueryType>: Record {
  var key: String
  var queryType: QueryType = .any
  var account: AccountReference?
  static var fields: Fields<Self, String, QueryType, AccountReference?> {
    Fields(
      Self.init, Field("key", \.key, keySummary),
      Field("queryType", \.queryType, default: .any, "Which value counts when several are targeted."),
      Field("account", \.account, accountSummary))
  }
}

private let keySummary = "The key; case matters."

private let accountSummary = "Whose configuration; null is no user, who has none."
