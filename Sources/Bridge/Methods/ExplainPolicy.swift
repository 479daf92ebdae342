import JSON
import JSONRPC
import MAM
import Model

enum ExplainPolicy: Method {
  static let name = "policy.explain"
  static let summary = "Why is a question answered, or an action decided, as it is?"
  static let details = """
    Takes any policy.* question, any enforcement.* action, policyManager.isIdentityManaged and isManagementEnabled, \
    with the parameters of that method, which are checked alike: a place in data.path begins with /params. The verdict \
    is what the method itself answers, made on the same way; where it cannot be had, this fails with the same error. \
    Nothing is changed: of enforcement.receive no file gets an owner and no activity begins, and what only that could \
    fail at is not told. The host is asked what it would be asked, since its answer is part of the verdict. The steps \
    answer first: the verdict, the settings that decided and where their values come from, and the rule, one for each \
    member of a verdict with several; then the account in question and what determined it, whether it is managed, and \
    its policies.
    """
  struct Params: Record {
    var query: String
    var params: JSONValue?
    static let fields = Fields(
      Self.init, Field("query", \.query, "The name of the method."),
      Field("params", \.params, "Its parameters, by name or by position; absent or null for none."))
  }
  struct Result: Record {
    var verdict: JSONValue
    var because: [ExplanationStep]
    var refusal: Refusal?
    static let fields = Fields(
      Self.init, Field("verdict", \.verdict, "What the method answers."),
      Field("because", \.because, "The steps to it, in order."),
      Field(
        "refusal", \.refusal,
        "What to tell the user where the answer is no, as to printing, dictation, keyboards and saving; null elsewhere."
      ))
  }
  static let resultSummary = "The answer and its reasons."
  static let errors: [ErrorCode] = ReceiveContent.errors + [.applicationNotManaged, .emptyData]
  static let example = Example(
    Params(query: IsPINRequired.name, params: ["account": "bob@contoso.example"]),
    Result(
      verdict: false,
      because: [
        ExplanationStep(
          step: .verdict, value: false, text: "A PIN is not required.")
      ]))

  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let asked = try params(from: node)
    guard let question = API.question(named: asked.query) else {
      throw RPCError(
        .invalidParams, "/query names no question that can be explained",
        details: ["path": "/query", "hint": .string(hint(for: asked.query))])
    }
    return try question.explain(self.node(of: asked.params), on: connection, into: &writer)
  }

  /// What says why by itself, or has another method that does.
  private static let told = [
    EvaluateLaunch.name: "Call it: each rule in its result has a text that says why",
    SetUIPolicyIdentity.name: "conditionalLaunch.evaluate says of each rule why an account may be shown or not",
    RemediateCompliance.name: "conditionalLaunch.evaluate says of each rule why an account may be used or not",
  ]

  private static func hint(for query: String) -> String {
    if let told = told[query] { return told }
    let names = names
    let list = "Questions are \(names.joined(separator: ", "))"
    let nearest = WantedName(query)?.nearest(amongDotted: names.map(KnownName.init))
    return nearest.map { "Did you mean \($0)? \(list)" } ?? list
  }

  /// The questions in the order in which the hint has always listed them: by these beginnings, then as in the document.
  private static var names: [String] {
    let beginnings = [
      "policy.", "policyManager.", "enforcement.copy", "enforcement.paste", "enforcement.receive", "enforcement.",
    ]
    let ranked = API.questionNames.map { name in (name, beginnings.firstIndex { name.hasPrefix($0) } ?? .max) }
    return Set(ranked.map(\.1)).sorted().flatMap { rank in ranked.filter { $0.1 == rank }.map(\.0) }
  }

  /// Nil for absent and for null. The text is one that was just parsed, so that it parses again.
  private static func node(of params: JSONValue?) throws(RPCError) -> JSONNode? {
    guard let params, !params.isNull else { return nil }
    do throws(JSONParseError) {
      return try JSONDocument(parsing: params.jsonText).root
    } catch {
      throw RPCError(.invalidParams, "/params: \(error.message)", details: ["path": "/params"])
    }
  }
}
