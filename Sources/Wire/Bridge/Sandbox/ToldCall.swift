import JSON
import JSONRPC
import MAM
import Model

/// A call as it is told. Secrets are left out, and values with a wrong name, which may be secrets. Of long values the
/// beginning is told.
struct ToldCall: Sendable {
  private static let longestValue = 60

  let text: String
  /// Its number in the recording; `nil` if it is not recorded.
  let number: Int?
  let method: String
  private let params: JSONValue?

  /// `params` are without options.
  init(_ method: any Method.Type, _ params: JSONValue?, number: Int?) {
    self.method = method.name
    self.number = number
    self.params = params
    let told = Self.members(of: params, method).filter { !$0.value.isNull }
    guard !told.isEmpty else {
      text = method.name
      return
    }
    let open = Set(method.parameters).subtracting(method.secretParameters)
    let words = told.map { name, value in
      "\(name) \(open.contains(name) ? value.jsonText.beginning(ofBytes: Self.longestValue) : "(hidden)")"
    }
    text = "\(method.name) with \(words.joined(separator: ", "))"
  }

  private static func members(
    of params: JSONValue?, _ method: any Method.Type
  ) -> [(name: String, value: JSONValue)] {
    switch params {
    case .object(let object)?: object.members.map { ($0.name, $0.value) }
    case .array(let elements)?: zip(method.parameters, elements).map { ($0, $1) }
    default: []
    }
  }

  /// The parameters of the method, without the options that any request has.
  static func withoutOptions(_ params: JSONValue?) -> JSONValue? {
    guard case .object(let object)? = params, object[reservedParamName] != nil else { return params }
    let own = object.members.filter { $0.name != reservedParamName }
    return own.isEmpty ? nil : .object(JSONObject(own.map { ($0.name, $0.value) }))
  }

  /// Whether the call moves the clock by nothing.
  var isIdle: Bool {
    guard method == AdvanceClock.name else { return false }
    let by = (params?["by"] ?? params?.arrayValue?.first)?.stringValue
    return by.flatMap { ISODuration($0) }?.seconds == 0
  }

  private var isQuestion: Bool { method == ExplainPolicy.name || API.question(named: method) != nil }

  /// `nil` if the call was no question.
  func question(failedWith error: RPCError) -> AskedQuestion? {
    isQuestion ? AskedQuestion(method, failedWith: error) : nil
  }

  /// The question, with the reasons of its answer if memory has them; `nil` if the call was none.
  func question(answered result: JSONValue, on connection: BridgeConnection) -> AskedQuestion? {
    guard isQuestion else { return nil }
    let isExplained = method == ExplainPolicy.name
    let elements = params?.arrayValue
    let query = isExplained ? (params?["query"] ?? elements?.first)?.stringValue ?? method : method
    let inner = isExplained ? params?["params"] ?? elements?.dropFirst().first : params
    let prepared = try? ExplainPolicy.prepared(query, inner, on: connection)
    let user = connection.bridge.sandbox?.user
    var question =
      isExplained
      ? AskedQuestion(query, explained: result, answeredBy: user)
      : AskedQuestion(query, launch: result, answeredBy: user) ?? prepared.flatMap { answered(result, $0, connection) }
    question?.subject = prepared.flatMap { AskedSubject($0.subject, in: connection.core.state) }
    return question
  }

  private func answered(
    _ result: JSONValue, _ prepared: PreparedQuestion, _ connection: BridgeConnection
  ) -> AskedQuestion? {
    let core = connection.core
    guard case .memory(let answer) = prepared.means else {
      return AskedQuestion(
        method, answered: result, because: .later { ((try? await prepared.explain(in: core).because) ?? []).grounds })
    }
    guard let state = core.currentState, let answered = try? answer(state) else { return nil }
    let explained = prepared.explanation(of: answered, in: state, connection.language)
    return AskedQuestion(method, answered: result, because: .known(explained.because.grounds))
  }
}

extension [ExplanationStep] {
  fileprivate var grounds: [AskedQuestion.Ground] { map { AskedQuestion.Ground(setting: $0.setting, text: $0.text) } }
}

extension Method {
  /// The names of the parameters in their order.
  fileprivate static var parameters: [String] { Params.fields.names }

  /// The names of the parameters whose values are secret.
  fileprivate static var secretParameters: [String] { Params.fields.secretNames }
}
