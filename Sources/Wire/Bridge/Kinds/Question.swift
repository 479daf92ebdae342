import JSON
import JSONRPC
import MAM
import Model
import Policy
import Vault

/// A method whose answer `policy.explain` can explain. The answer and its explanation come from the same code.
protocol ExplainableMethod: Method {
  /// Puts the answer into words, without an initial capital or a final period: "saving to Dropbox is blocked".
  static func verdict(_ answer: Result, _ params: Params) -> String
  /// The part of the answer that a policy decides; by default, the whole answer.
  static func essence(_ answer: Result) -> JSONValue
  /// Reads the params for answers that are given later. `node` holds the method's own params; `nil` if there are none.
  static func prepared(_ node: JSONNode?, on connection: BridgeConnection) throws(RPCError) -> PreparedQuestion
}

extension ExplainableMethod {
  static func essence(_ answer: Result) -> JSONValue { answer.jsonValue }
}

/// A question that only reads what the core holds in memory.
protocol Question: ExplainableMethod {
  associatedtype Arrived: Inquiry where Arrived.Params == Params
  associatedtype Answer: Explicable = Decision<Result> where Answer.Value == Result

  static func answer(_ asked: Arrived, _ state: CoreState) throws(MAMError) -> Answer
}

extension Question {
  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let (asked, core) = (Arrived(try params(from: node), on: connection), connection.core)
    guard let state = core.currentState else {
      return refreshing(core) { state throws(MAMError) in try value(asked, state, core) }
    }
    try raising { () throws(MAMError) in try value(asked, state, core) }.encode(to: &writer)
    return nil
  }

  /// Answers, and logs the decision with its reasons if verbose logging is on.
  private static func value(_ asked: Arrived, _ state: CoreState, _ core: Core) throws(MAMError) -> Result {
    do throws(MAMError) {
      let answer = try answer(asked, state)
      if core.verbose.isOn { core.trace(name, .success(TracedAnswer(answer)), about: asked.subject, in: state) }
      return answer.value
    } catch {
      if core.verbose.isOn { core.trace(name, .failure(error), about: asked.subject, in: state) }
      throw error
    }
  }

  static func prepared(_ node: JSONNode?, on connection: BridgeConnection) throws(RPCError) -> PreparedQuestion {
    let asked = Arrived(try innerParams(from: node), on: connection)
    return PreparedQuestion(
      subject: asked.subject,
      means: .memory { state throws(MAMError) in attempted(try answer(asked, state), asked.params) })
  }
}

/// A question about one account's policy. Fails if the app requires a policy and has none.
protocol PolicyQuestion: Question where Params: Targeted, Arrived == Asked<Params> {
  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Answer
}

extension PolicyQuestion {
  static var errors: [ErrorCode] { [.policyRequired] }

  static func answer(_ asked: Asked<Params>, _ state: CoreState) throws(MAMError) -> Answer {
    answer(try state.questions(about: asked.account, sharing: asked.view), asked.params, state)
  }
}

/// A question that may wait for the disk or a host. An explanation changes nothing, so it does not wait in the method's
/// queue.
protocol WorkQuestion: ExplainableMethod where Params: Targeted {
  associatedtype Answer: Explicable where Answer.Value == Result

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) async throws(MAMError) -> Answer
  /// Carries out what it answers, for a method that does more than answer. Must decide with the same function as
  /// `answer`.
  static func act(_ asked: Asked<Params>, on connection: BridgeConnection) async throws(MAMError) -> Answer
  /// See `WorkMethod.queue`.
  static func queue(_ params: Params) -> String?
}

extension WorkQuestion {
  static func act(_ asked: Asked<Params>, on connection: BridgeConnection) async throws(MAMError) -> Answer {
    try await answer(asked, on: connection)
  }

  static func queue(_ params: Params) -> String? { nil }

  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    work(of: Asked(try params(from: node), on: connection), on: connection)
  }

  fileprivate static func work(of asked: Asked<Params>, on connection: BridgeConnection) -> Work {
    work(queue: queue(asked.params), on: connection) { () async throws(MAMError) in
      try await value(asked, on: connection)
    }
  }

  /// Answers, and logs the decision with its reasons if verbose logging is on.
  private static func value(
    _ asked: Asked<Params>, on connection: BridgeConnection
  ) async throws(MAMError) -> Result {
    let core = connection.core
    do throws(MAMError) {
      let answer = try await act(asked, on: connection)
      if core.verbose.isOn { core.trace(name, .success(TracedAnswer(answer)), about: asked.subject, in: core.state) }
      return answer.value
    } catch {
      if core.verbose.isOn { core.trace(name, .failure(error), about: asked.subject, in: core.state) }
      throw error
    }
  }

  static func prepared(_ node: JSONNode?, on connection: BridgeConnection) throws(RPCError) -> PreparedQuestion {
    let asked = Asked(try innerParams(from: node), on: connection)
    return PreparedQuestion(
      subject: asked.subject,
      means: .work { () async throws(MAMError) in attempted(try await answer(asked, on: connection), asked.params) })
  }
}

/// A question about bytes, answered at once like a `BufferMethod`.
protocol BufferQuestion: WorkQuestion {
  /// Never `nil` if the disk is within reach.
  static func answer(
    _ asked: Asked<Params>, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> Answer?
}

extension BufferQuestion {
  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> Answer {
    try answer(asked, on: connection, .disk).reached()
  }

  static func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let asked = Asked(try params(from: node), on: connection)
    // The trace of a decision is written by the work.
    if !connection.core.verbose.isOn,
      let answer = try atOnce(on: connection, { () throws(MAMError) in try answer(asked, on: connection, .memory) })
    {
      answer.value.encode(to: &writer)
      return nil
    }
    return work(of: asked, on: connection)
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

extension ExplainableMethod {
  fileprivate static func attempted<Answer: Explicable>(
    _ answer: Answer, _ params: Params
  ) -> AttemptedAnswer where Answer.Value == Result {
    AttemptedAnswer(
      verdict: answer.value.jsonValue, essence: essence(answer.value), words: verdict(answer.value, params),
      reasons: answer.reasons)
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
