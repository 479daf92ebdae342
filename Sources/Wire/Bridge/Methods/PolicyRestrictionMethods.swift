import MAM
import Model
import Policy

/// The two questions that the Android SDK answers with diagnosticHasSaveRestriction and diagnosticHasOpenRestriction.
enum HasSaveRestriction: PolicyQuestion {
  static let name = "policy.hasSaveRestriction"
  static let summary = "Report whether an account's policy restricts where its data may be saved."
  static let details = """
    For menus and settings pages: if the answer is false, the data may be saved anywhere, and \
    policy.isSaveToAllowedForLocation need not be asked for locations that belong to no other account.
    """
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether saving is restricted."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.hasSaveRestriction
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    "saving data is \(answer ? "restricted to some locations" : "not restricted")"
  }
}

enum HasOpenRestriction: PolicyQuestion {
  static let name = "policy.hasOpenRestriction"
  static let summary = "Report whether an account's policy restricts where its documents may get data from."
  static let details = """
    For menus and settings pages: if the answer is false, data may be opened from anywhere, and \
    policy.isOpenFromAllowedForLocation need not be asked for locations that belong to no other account.
    """
  typealias Params = PolicyTarget
  typealias Result = Bool
  static let resultSummary = "Whether opening is restricted."
  static let example = Example<Params, Result>(Params(account: "alice@contoso.example"), true)

  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Decision<Bool> {
    policy.hasOpenRestriction
  }

  static func verdict(_ answer: Result, _ params: Params) -> String {
    "opening data is \(answer ? "restricted to some locations" : "not restricted")"
  }
}
