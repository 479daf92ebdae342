import JSON
import JSONRPC
import MAM
import Model
import Policy

/// An addition to each kind of method: `policy.explain` can explain the answer. The answer and its explanation come from
/// the same code.
protocol ExplainableMethod: Method {
  /// Reads the params for answers that are given later. `node` holds the method's own params; `nil` if there are none.
  static func prepared(_ node: JSONNode?, on connection: BridgeConnection) throws(RPCError) -> PreparedQuestion
}

/// An explainable method whose answer is a decision with its reasons. Its result is the value of the decision.
protocol DecidingMethod: ExplainableMethod {
  associatedtype Answer: Explicable = Decision<Result> where Answer.Value == Result

  /// Puts the answer into words, without an initial capital or a final period: "saving to Dropbox is blocked".
  static func verdict(_ answer: Result, _ params: Params) -> String
  /// The part of the answer that a policy decides; `nil`, the default, if that is the whole answer.
  static func essence(_ answer: Result) -> JSONValue?
}

extension DecidingMethod {
  static func essence(_ answer: Result) -> JSONValue? { nil }

  static func attempted(_ answer: Answer, _ params: Params) -> AttemptedAnswer {
    let value = answer.value
    let whole = value.jsonValue
    return AttemptedAnswer(
      verdict: whole, essence: essence(value) ?? whole, words: verdict(value, params), reasons: answer.reasons)
  }

  /// Logs the decision with its reasons if verbose logging is on. `state` is the state by which it was made. Never blocks.
  static func trace<Question: Inquiry>(_ answer: Answer, of asked: Question, in core: Core, _ state: CoreState) {
    guard core.verbose.isOn else { return }
    core.trace(name, .success(TracedAnswer(answer)), about: asked.subject, in: state)
  }

  static func trace<Question: Inquiry>(_ error: MAMError, of asked: Question, in core: Core, _ state: CoreState) {
    guard core.verbose.isOn else { return }
    core.trace(name, .failure(error), about: asked.subject, in: state)
  }
}

extension Method {
  /// Decodes this method's params from the params of another method, which has them at /params.
  static func innerParams(from node: JSONNode?) throws(RPCError) -> Params {
    do throws(JSONDecodingError) {
      return try Params.decode(params: node)
    } catch {
      throw RPCError(error.inside("params"))
    }
  }
}

extension Bool {
  /// Says whether an activity is allowed.
  func verdict(on activity: String) -> String { "\(activity) is \(self ? "allowed" : "blocked")" }
}

extension [String] {
  /// The texts as a list in words: "a", "a and b", "a, b, and c".
  var listedInWords: String {
    guard let last, count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + (count > 2 ? "," : "") + " and \(last)"
  }
}

extension AbsoluteURL {
  /// The address in quotes, cut if it is long.
  var quoted: String { "\"\(text.shortened)\"" }
}
