import JSON
import Model

package enum AppConfigFullData: Method {
  package static let name = "appConfig.fullData"
  package static let summary = "All configuration of an account in this app, one object for each source."
  package struct Params: Record {
    package var account: AccountReference?
    package static let fields = Fields(Self.init(account:), Field("account", \.account, accountSummary))
  }
  package typealias Result = [JSONObject]
  package static let resultSummary = """
    Sorted by the ids of the sources; the tenant's default carries __IsDefault. Empty before enrollment.
    """
  package static let errors: [APIError] = .store
  package static let example = Example(
    Params(account: "alice@contoso.example"), Result([["serverURL": "https://mail.contoso.example"]]))
  package static let sdkMembers = [
    "IntuneMAMAppConfig fullData", "IntuneMAMAppConfigManager -appConfigForIdentity:",
    "IntuneMAMAppConfigManager -appConfigForAccountId:",
  ]
}

package enum AppConfigHasConflict: Method {
  package static let name = "appConfig.hasConflict"
  package static let summary = "Do targeted values of a key differ?"
  package typealias Params = ConfigKey
  package typealias Result = Bool
  package static let resultSummary = "Whether they differ; the tenant's default does not count."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(key: "theme", account: "alice@contoso.example"), true)
  package static let sdkMembers = ["IntuneMAMAppConfig -hasConflict:"]
}

package enum AppConfigBoolValue: Method {
  package static let name = "appConfig.boolValueForKey"
  package static let summary = "The boolean of a key."
  package typealias Params = ConfigQuery<BoolQueryType>
  package typealias Result = Bool?
  package static let resultSummary = "From true, false, 1, 0, yes, no in any case; null when there is none."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(Params(key: "darkMode", queryType: .or), true)
  package static let sdkMembers = ["IntuneMAMAppConfig -boolValueForKey:queryType:"]
}

package enum AppConfigNumberValue: Method {
  package static let name = "appConfig.numberValueForKey"
  package static let summary = "The number of a key."
  package typealias Params = ConfigQuery<NumberQueryType>
  package typealias Result = ConfigNumber?
  package static let resultSummary = "From text in JSON's grammar of numbers; null when there is none."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(Params(key: "maxItems", queryType: .max), .integer(50))
  package static let sdkMembers = ["IntuneMAMAppConfig -numberValueForKey:queryType:"]
}

package enum AppConfigStringValue: Method {
  package static let name = "appConfig.stringValueForKey"
  package static let summary = "The text of a key."
  package typealias Params = ConfigQuery<StringQueryType>
  package typealias Result = String?
  package static let resultSummary = "min and max compare UTF-8 bytes; null when there is none."
  package static let errors: [APIError] = .store
  package static let example = Example<Params, Result>(
    Params(key: "greeting", account: "alice@contoso.example"), "Hello alice@contoso.example")
  package static let sdkMembers = ["IntuneMAMAppConfig -stringValueForKey:queryType:"]
}

package enum AppConfigAllBools: Method {
  package static let name = "appConfig.allBoolsForKey"
  package static let summary = "Every boolean of a key."
  package typealias Params = ConfigKey
  package typealias Result = [Bool]
  package static let resultSummary = "The targeted ones, else the default; empty when there is none."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(key: "darkMode"), Result([true, false]))
  package static let sdkMembers = ["IntuneMAMAppConfig -allBoolsForKey:"]
}

package enum AppConfigAllNumbers: Method {
  package static let name = "appConfig.allNumbersForKey"
  package static let summary = "Every number of a key."
  package typealias Params = ConfigKey
  package typealias Result = [ConfigNumber]
  package static let resultSummary = "The targeted ones, else the default; empty when there is none."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(key: "maxItems"), Result([.integer(20), .integer(50)]))
  package static let sdkMembers = ["IntuneMAMAppConfig -allNumbersForKey:"]
}

package enum AppConfigAllStrings: Method {
  package static let name = "appConfig.allStringsForKey"
  package static let summary = "Every text of a key."
  package typealias Params = ConfigKey
  package typealias Result = [String]
  package static let resultSummary = "The targeted ones, else the default; empty when there is none."
  package static let errors: [APIError] = .store
  package static let example = Example(Params(key: "theme"), Result(["blue", "green"]))
  package static let sdkMembers = ["IntuneMAMAppConfig -allStringsForKey:"]
}

/// A key of an account's configuration.
package struct ConfigKey: Record {
  package var key: String
  package var account: AccountReference?
  package static let fields = Fields(
    Self.init(key:account:), Field("key", \.key, keySummary), Field("account", \.account, accountSummary))

  package init(key: String, account: AccountReference? = nil) {
    self.key = key
    self.account = account
  }
}

/// A key, and which of its values is wanted.
package struct ConfigQuery<QueryType: ConfigQueryType>: Record {
  package var key: String
  package var queryType: QueryType
  package var account: AccountReference?
  package static var fields: Fields<Self, String, QueryType, AccountReference?> {
    Fields(
      Self.init(key:queryType:account:), Field("key", \.key, keySummary),
      Field("queryType", \.queryType, default: .any, "Which value counts when several are targeted."),
      Field("account", \.account, accountSummary))
  }

  package init(key: String, queryType: QueryType = .any, account: AccountReference? = nil) {
    self.key = key
    self.queryType = queryType
    self.account = account
  }
}

private let keySummary = "The key; case matters."
private let accountSummary = "Whose configuration; null is no user, who has none."
