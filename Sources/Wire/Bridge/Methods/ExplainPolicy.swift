import JSON
import JSONRPC
import MAM
import Model
import Policy

/// Answered like the method that it explains: from memory, or as work.
enum ExplainPolicy: Method {
  static let name = "policy.explain"
  static let summary = "Explain why a question is answered, or an action decided, the way it is."
  static let details = """
    Takes any policy.* question, any enforcement.* action, policyManager.isIdentityManaged, \
    policyManager.isManagementEnabled, conditionalLaunch.evaluate and conditionalLaunch.didBecomeActive, with the \
    parameters of that method. These are checked as in the method; in an error, data.path begins with /params.

    The verdict is what the method itself answers, because both come from the same code. If the method fails, this \
    call fails with the same error. Nothing is changed: with enforcement.receive, no file gets an owner and no \
    activity begins, so errors that only those steps could raise are not reported. The host is still asked whatever it \
    would be asked, because its answer is part of the verdict.

    The steps begin with the verdict. The settings that decided follow, with where their values come from, and the \
    rule; if the verdict has several members, there is one rule for each. The last steps name the account and the \
    level that it came from, whether it is managed, and its policies.

    A conditional launch is not run, but foreseen: nobody is asked, nothing is checked in or wiped, and challenges is \
    empty. Each of its rules is a step, the harshest outcome first, and those that passed last.

    With assuming, the question is answered as if the policy in question had these settings: that of the account, of \
    each account of a view or, if nobody is named, of the effective account. Other accounts keep their policies. An \
    account without a policy gets one with these settings alone; an account that is not registered gets none. A \
    setting that policies for the platform do not have changes nothing. The words are those of policies for the \
    platform: on Windows, for example, orgDestinationAnySource, and managedApps is an error for a transfer level. \
    Nothing is stored or protected: the content that enforcement.copy would protect is null.
    """
  struct Params: Record {
    var query: String
    var params: JSONValue?
    var assuming: AssumedSettings?
    static let fields = Fields(
      Self.init, Field("query", \.query, "The name of the method."),
      Field(
        "params", \.params, "The parameters of that method, by name or by position; absent or null if there are none."),
      Field(
        "assuming", \.assuming,
        "The settings to assume, as in debug.setPolicy; null for a setting that is assumed not to be set."))
  }
  struct Result: Record {
    var verdict: JSONValue
    var because: [ExplanationStep]
    var refusal: Refusal?
    static let schemaName = "Explanation"
    static let fields = Fields(
      Self.init, Field("verdict", \.verdict, "What the method answers."),
      Field("because", \.because, "The steps that lead to the answer, in order."),
      Field(
        "refusal", \.refusal,
        """
        What to tell the user if the answer is no, for questions such as printing, dictation, keyboards and saving; \
        otherwise null.
        """))
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
    let asked = try asked(node)
    let question = try prepared(asked.query, given: asked.inner, on: connection)
    let core = connection.core
    if let assuming = asked.assuming {
      return work(on: connection) { () async throws(MAMError) in
        try core.refresh()
        return try await question.explain(in: try core.rooms(assuming: assuming, about: question.subject))
      }
    }
    guard case .memory(let answer) = question.means else {
      return work(on: connection) { () async throws(MAMError) in try await question.explain(in: core) }
    }
    let language = connection.language
    let explain: @Sendable (CoreState) throws(MAMError) -> Result = { state throws(MAMError) in
      question.explanation(of: try answer(state), in: state, language)
    }
    guard let state = core.currentState else {
      return Work { () async throws(RPCError) in
        try raising { () throws(MAMError) in try explain(core.state(within: .disk).get()).jsonBytes }
      }
    }
    try raising { () throws(MAMError) in try explain(state) }.encode(to: &writer)
    return nil
  }

  /// Reads parameters of a method that can be explained, which were received as a value.
  static func prepared(
    _ query: String, _ params: JSONValue?, on connection: BridgeConnection
  ) throws(RPCError) -> PreparedQuestion {
    try prepared(query, given: try node(of: params), on: connection)
  }

  /// Reads the parameters of a method that can be explained.
  private static func prepared(
    _ query: String, given node: JSONNode?, on connection: BridgeConnection
  ) throws(RPCError) -> PreparedQuestion {
    guard let question = API.question(named: query) else {
      throw RPCError(
        .invalidParams, "/query names no method that can be explained",
        details: ["path": "/query", "hint": .string(hint(for: query))])
    }
    return try question.prepared(node, on: connection)
  }

  /// What a call asks. The parameters of the method stay where they were received; they are `nil` if absent or null.
  private static func asked(
    _ node: JSONNode?
  ) throws(RPCError) -> (query: String, inner: JSONNode?, assuming: AssumedSettings?) {
    let inner = node?.member("params") ?? node?.element(1)
    let given = inner?.isNull == true ? nil : inner
    // If there are no other members, nothing can be wrong with them. `Params` would copy the inner parameters.
    let count = 1 + (inner == nil ? 0 : 1) + (node?.member(reservedParamName) == nil ? 0 : 1)
    if let query = node?.member("query")?.string, node?.memberCount == count { return (query, given, nil) }
    let params = try params(from: node)
    return (params.query, given, params.assuming)
  }

  /// Hints for methods that another method explains.
  private static let told = [
    SetUIPolicyIdentity.name: "conditionalLaunch.evaluate says for each rule why an account may or may not be shown",
    RemediateCompliance.name: "conditionalLaunch.evaluate says for each rule why an account may or may not be used",
  ]

  private static func hint(for query: String) -> String {
    if let told = told[query] { return told }
    let names = names
    let list = "policy.explain takes \(names.joined(separator: ", "))"
    let nearest = WantedName(query)?.nearest(amongDotted: names.map(KnownName.init))
    return nearest.map { "Did you mean \($0)? \(list)" } ?? list
  }

  /// The methods in the order in which the hint lists them: by these prefixes, then as in the document.
  private static var names: [String] {
    let beginnings = [
      "policy.", "policyManager.", "enforcement.copy", "enforcement.paste", "enforcement.receive", "enforcement.",
      "conditionalLaunch.",
    ]
    let ranked = (API.questionNames + API.launches).map { name in
      (name, beginnings.firstIndex { name.hasPrefix($0) } ?? .max)
    }
    return Set(ranked.map(\.1)).sorted().flatMap { rank in ranked.filter { $0.1 == rank }.map(\.0) }
  }

  /// `nil` if `params` is absent or null. The text was just parsed, so it parses again.
  static func node(of params: JSONValue?) throws(RPCError) -> JSONNode? {
    guard let params, !params.isNull else { return nil }
    do throws(JSONParseError) {
      return try JSONDocument(parsing: params.jsonText).root
    } catch {
      throw RPCError(.invalidParams, "/params: \(error.message)", details: ["path": "/params"])
    }
  }
}
