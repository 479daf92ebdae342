import JSON
import MAM
import Model
import Policy

enum AppConfigFullData: StateMethod {
  static let name = "appConfig.fullData"
  static let summary = "Return the whole app configuration of an account, as one object for each source."
  struct Params: ConfigParams {
    var account: AccountReference?
    var accounts: [AccountReference]?
    static let fields = Fields(Self.init, Field("account", \.account, accountSummary), accountsField)
  }
  typealias Result = [JSONObject]
  static let resultSummary =
    "The objects, sorted by the ids of their sources. The tenant's default has __IsDefault. Empty before enrollment."
  static let example = Example(
    Params(account: "alice@contoso.example"), Result([["serverURL": "https://mail.contoso.example"]]))
  static let sdkMembers = [
    "IntuneMAMAppConfig fullData", "IntuneMAMAppConfigManager -appConfigForIdentity:",
    "IntuneMAMAppConfigManager -appConfigForAccountId:", "IntuneMAMAppConfigManager -appConfigForAccountIds:",
  ]

  static func answer(_ params: Params, _ state: CoreState) -> [JSONObject] {
    params.config(in: state).fullData
  }
}

enum AppConfigHasConflict: StateMethod {
  static let name = "appConfig.hasConflict"
  static let summary = "Report whether the targeted values of a key differ."
  typealias Params = ConfigKey
  typealias Result = Bool
  static let resultSummary = "Whether the values differ. The tenant's default does not count."
  static let example = Example(Params(key: "theme", account: "alice@contoso.example"), true)
  static let sdkMembers = ["IntuneMAMAppConfig -hasConflict:"]

  static func answer(_ params: Params, _ state: CoreState) -> Bool {
    params.config(in: state).hasConflict(params.key)
  }
}

enum AppConfigBoolValue: StateMethod {
  static let name = "appConfig.boolValueForKey"
  static let summary = "Return the boolean value of a key."
  typealias Params = ConfigQuery<BoolQueryType>
  typealias Result = Bool?
  static let resultSummary = "The value, read from true, false, 1, 0, yes or no in any case; null if there is none."
  static let example = Example<Params, Result>(Params(key: "darkMode", queryType: .or), true)
  static let sdkMembers = ["IntuneMAMAppConfig -boolValueForKey:queryType:"]

  static func answer(_ params: Params, _ state: CoreState) -> Bool? {
    params.config(in: state).bool(params.key, params.queryType)
  }
}

enum AppConfigNumberValue: StateMethod {
  static let name = "appConfig.numberValueForKey"
  static let summary = "Return the numeric value of a key."
  typealias Params = ConfigQuery<NumberQueryType>
  typealias Result = ConfigNumber?
  static let resultSummary = "The value, read as a number in JSON syntax; null if there is none."
  static let example = Example<Params, Result>(Params(key: "maxItems", queryType: .max), .integer(50))
  static let sdkMembers = ["IntuneMAMAppConfig -numberValueForKey:queryType:"]

  static func answer(_ params: Params, _ state: CoreState) -> ConfigNumber? {
    params.config(in: state).number(params.key, params.queryType)
  }
}

enum AppConfigStringValue: StateMethod {
  static let name = "appConfig.stringValueForKey"
  static let summary = "Return the string value of a key."
  typealias Params = ConfigQuery<StringQueryType>
  typealias Result = String?
  static let resultSummary = "The value; null if there is none. min and max compare strings by their UTF-8 bytes."
  static let example = Example<Params, Result>(
    Params(key: "greeting", account: "alice@contoso.example"), "Hello alice@contoso.example")
  static let sdkMembers = ["IntuneMAMAppConfig -stringValueForKey:queryType:"]

  static func answer(_ params: Params, _ state: CoreState) -> String? {
    params.config(in: state).string(params.key, params.queryType)
  }
}

enum AppConfigAllBools: StateMethod {
  static let name = "appConfig.allBoolsForKey"
  static let summary = "Return all boolean values of a key."
  typealias Params = ConfigKey
  typealias Result = [Bool]
  static let resultSummary = "The targeted values, or else the default; empty if there are none."
  static let example = Example(Params(key: "darkMode"), Result([true, false]))
  static let sdkMembers = ["IntuneMAMAppConfig -allBoolsForKey:"]

  static func answer(_ params: Params, _ state: CoreState) -> [Bool] {
    params.config(in: state).bools(params.key)
  }
}

enum AppConfigAllNumbers: StateMethod {
  static let name = "appConfig.allNumbersForKey"
  static let summary = "Return all numeric values of a key."
  typealias Params = ConfigKey
  typealias Result = [ConfigNumber]
  static let resultSummary = "The targeted values, or else the default; empty if there are none."
  static let example = Example(Params(key: "maxItems"), Result([.integer(20), .integer(50)]))
  static let sdkMembers = ["IntuneMAMAppConfig -allNumbersForKey:"]

  static func answer(_ params: Params, _ state: CoreState) -> [ConfigNumber] {
    params.config(in: state).numbers(params.key)
  }
}

enum AppConfigAllStrings: StateMethod {
  static let name = "appConfig.allStringsForKey"
  static let summary = "Return all string values of a key."
  typealias Params = ConfigKey
  typealias Result = [String]
  static let resultSummary = "The targeted values, or else the default; empty if there are none."
  static let example = Example(Params(key: "theme"), Result(["blue", "green"]))
  static let sdkMembers = ["IntuneMAMAppConfig -allStringsForKey:"]

  static func answer(_ params: Params, _ state: CoreState) -> [String] {
    params.config(in: state).strings(params.key)
  }
}

/// A key of an account's configuration.
struct ConfigKey: ConfigParams {
  var key: String
  var account: AccountReference?
  var accounts: [AccountReference]?
  static let fields = Fields(
    Self.init, Field("key", \.key, keySummary), Field("account", \.account, accountSummary), accountsField)
}

/// A key, and which of its values to return.
struct ConfigQuery<QueryType: ConfigQueryType>: ConfigParams {
  var key: String
  var queryType: QueryType = .any
  var account: AccountReference?
  var accounts: [AccountReference]?
  static var fields: Fields<Self> {
    Fields(
      Self.init, Field("key", \.key, keySummary),
      Field("queryType", \.queryType, default: .any, "Which value to return if several are targeted."),
      Field("account", \.account, accountSummary), accountsField)
  }
}

/// Parameters that name one account or several, whose configurations are joined.
protocol ConfigParams: Record {
  var account: AccountReference? { get }
  var accounts: [AccountReference]? { get }
}

extension ConfigParams {
  static var accountsField: Field<Self, [AccountReference]?> {
    Field(
      "accounts", { $0.accounts },
      "Several accounts, in place of `account`. Their configurations count as one, in this order.")
  }

  fileprivate func config(in state: CoreState) -> any ConfigValues {
    if let accounts { return state.appConfig(of: accounts) }
    return state.appConfig(of: account)
  }
}

private let keySummary = "The key. Case matters."

private let accountSummary = "The account that the configuration is for; null means no user, who has no configuration."
