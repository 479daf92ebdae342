import JSON
import Model

package enum ExplainPolicy: Method {
  package static let name = "policy.explain"
  package static let summary = "Why is a question answered, or an action decided, as it is?"
  package static let details = """
    Takes any policy.* question, any enforcement.* action, policyManager.isIdentityManaged and isManagementEnabled, with \
    the parameters of that method, which are checked alike: a place in data.path begins with /params. The verdict is \
    what the method itself answers, made on the same way; where it cannot be had, this fails with the same error. Nothing \
    is changed: of enforcement.receive no file gets an owner and no activity begins, and what only that could fail at is \
    not told. The host is asked what it would be \
    asked, since its answer is part of the verdict. The steps tell who was asked about and which level gave that, \
    whether that account is managed, its policies, the settings that decided and where their values come from, the rule, \
    and the verdict; of a verdict with several members there is one rule for each.
    """
  package struct Params: Record {
    package var query: String
    package var params: JSONValue?

    package init(query: String, params: JSONValue? = nil) {
      self.query = query
      self.params = params
    }

    package static let fields = Fields(
      Self.init(query:params:), Field("query", \.query, "The name of the method."),
      Field("params", \.params, "Its parameters, by name or by position; absent or null for none."))
  }
  package struct Result: Record {
    package var verdict: JSONValue
    package var because: [ExplanationStep]
    package var refusal: Refusal?

    package init(verdict: JSONValue, because: [ExplanationStep], refusal: Refusal? = nil) {
      self.verdict = verdict
      self.because = because
      self.refusal = refusal
    }

    package static let fields = Fields(
      Self.init(verdict:because:refusal:), Field("verdict", \.verdict, "What the method answers."),
      Field("because", \.because, "The steps to it, in order."),
      Field(
        "refusal", \.refusal,
        "What to tell the user where the answer is no, as to printing, dictation, keyboards and saving; null elsewhere."
      ))
  }
  package static let resultSummary = "The answer and its reasons."
  package static let errors: [APIError] = ReceiveContent.errors + [.applicationNotManaged, .emptyData]
  package static let example = Example(
    Params(query: IsPINRequired.name, params: ["account": "bob@contoso.example"]),
    Result(
      verdict: false,
      because: [
        ExplanationStep(
          step: .verdict, value: false, text: "Must the user enter a PIN to see this account's data? No.")
      ]))
}
