import BridgeAPI
import JSON
import JSONRPC
import Model

/// Asks another method why; a question that reads memory alone is answered at once.
struct ExplainMethod: MethodEntry {
  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let asked = try ExplainPolicy.params(from: node)
    let methods = connection.bridge.methods
    guard let question = methods.question(asked.query) else {
      throw RPCError(
        .invalidParams, "/query names no question that can be explained",
        details: ["path": "/query", "hint": .string(Self.hint(for: asked.query, among: methods.questionNames))])
    }
    return try question.explain(Self.node(of: asked.params), on: connection, into: &writer)
  }

  /// What says why by itself, or has another method that does.
  private static let told = [
    EvaluateLaunch.name: "Call it: each rule in its result has a text that says why",
    SetUIPolicyIdentity.name: "conditionalLaunch.evaluate says of each rule why an account may be shown or not",
    RemediateCompliance.name: "conditionalLaunch.evaluate says of each rule why an account may be used or not",
  ]

  private static func hint(for query: String, among names: [String]) -> String {
    if let told = told[query] { return told }
    let list = "Questions are \(names.joined(separator: ", "))"
    let nearest = WantedName(query)?.nearest(amongDotted: names.map(KnownName.init))
    return nearest.map { "Did you mean \($0)? \(list)" } ?? list
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
