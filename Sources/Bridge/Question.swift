import BridgeAPI
import JSON
import JSONRPC
import MAM

/// A method that can be asked why, by the same way as it is answered.
protocol ExplicableEntry: MethodEntry {
  /// As `call`, with the reasons of the answer. `node` holds the method's own params; nil is none.
  func explain(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work?
}

/// A question that only reads what the core holds in memory.
struct MemoryQuestion<M: Method, Arrived: Inquiry, Answer: Explicable>: ExplicableEntry
where Arrived.Params == M.Params, Answer.Value == M.Result {
  typealias Arrival = @Sendable (M.Params, BridgeConnection) -> Arrived
  typealias Body = @Sendable (Arrived, CoreState) throws(MAMError) -> Answer
  private let arrival: Arrival
  private let answer: Body
  /// The same without its reasons; made once, for a closure that is made at every call costs as much as an answer.
  private let plain: @Sendable (Arrived, CoreState) throws(MAMError) -> M.Result

  init(arrival: @escaping Arrival, _ answer: @escaping Body) {
    self.arrival = arrival
    self.answer = answer
    plain = { arrived, state throws(MAMError) in try answer(arrived, state).value }
  }

  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let arrived = arrival(try M.params(from: node), connection)
    guard !connection.core.verbose.isOn else { return try trace(arrived, connection.core, into: &writer) }
    return try MemoryAnswer(arrived: arrived, body: plain).give(connection.core, into: &writer)
  }

  /// Answers, and logs the decision with its reasons.
  private func trace(_ arrived: Arrived, _ core: Core, into writer: inout JSONWriter) throws(RPCError) -> Work? {
    let traced = MemoryAnswer(arrived: arrived) { [answer] arrived, state throws(MAMError) in
      let result = Result { () throws(MAMError) in try answer(arrived, state) }
      core.trace(M.name, result, about: arrived.subject, in: state)
      return try result.get().value
    }
    return try traced.give(core, into: &writer)
  }

  func explain(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let arrived = arrival(try M.innerParams(from: node), connection)
    let explained = MemoryAnswer(arrived: arrived) {
      [answer, language = connection.language] arrived, state throws(MAMError) in
      M.explain(arrived, try answer(arrived, state), in: state, language)
    }
    return try explained.give(connection.core, into: &writer)
  }
}

/// A question that may wait for a disk or for somebody. Asking why does not wait in the method's queue, for it changes
/// nothing.
struct WorkQuestion<M: Method, Arrived: Inquiry, Answer: Explicable>: ExplicableEntry
where Arrived.Params == M.Params, Answer.Value == M.Result {
  typealias Body = @Sendable (Arrived, Core, BridgeConnection) async throws(MAMError) -> Answer
  private let plain: WorkMethod<M, Arrived>
  private let action: Body
  private let answer: Body

  /// `action` answers a call; `answer` is the same without what the call changes, to ask why.
  init(
    queue: @escaping @Sendable (M.Params) -> String?,
    arrival: @escaping @Sendable (M.Params, BridgeConnection) -> Arrived,
    action: @escaping Body, answer: @escaping Body
  ) {
    self.action = action
    self.answer = answer
    plain = WorkMethod(
      queue: queue, arrival: arrival,
      body: { arrived, core, connection async throws(MAMError) in try await action(arrived, core, connection).value })
  }

  func call(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    guard connection.core.verbose.isOn else { return try plain.call(node, on: connection, into: &writer) }
    let params = try M.params(from: node)
    let traced = WorkAnswer(arrived: plain.arrival(params, connection)) {
      [self] arrived, core, connection async throws(MAMError) in try await trace(arrived, core, connection)
    }
    return traced.give(connection, queue: plain.queue(params))
  }

  /// Answers, and logs the decision with its reasons.
  private func trace(
    _ arrived: Arrived, _ core: Core, _ connection: BridgeConnection
  ) async throws(MAMError) -> M.Result {
    let result: Result<Answer, MAMError>
    do throws(MAMError) {
      result = .success(try await action(arrived, core, connection))
    } catch {
      result = .failure(error)
    }
    core.trace(M.name, result, about: arrived.subject, in: core.state)
    return try result.get().value
  }

  func explain(
    _ node: JSONNode?, on connection: BridgeConnection, into writer: inout JSONWriter
  ) throws(RPCError) -> Work? {
    let arrived = plain.arrival(try M.innerParams(from: node), connection)
    let explained = WorkAnswer(arrived: arrived) { [answer] arrived, core, connection async throws(MAMError) in
      let answer = try await answer(arrived, core, connection)
      return M.explain(arrived, answer, in: core.state, core.language)
    }
    return explained.give(connection, queue: nil)
  }
}

extension Method {
  fileprivate static func explain<Arrived: Inquiry, Answer: Explicable>(
    _ arrived: Arrived, _ answer: Answer, in state: CoreState, _ language: Language
  ) -> ExplainPolicy.Result where Arrived.Params == Params, Answer.Value == Result {
    let verdict = answer.value.jsonValue
    let explanation = Explanation(
      summary, arguments(arrived.params), verdict: verdict, because: answer.reasons, about: arrived.subject, in: state)
    let refusal = verdict == false ? answer.refusal(in: language) : nil
    return ExplainPolicy.Result(verdict: verdict, because: explanation.steps, refusal: refusal)
  }

  /// What is asked; whom it is about is told first.
  private static func arguments(_ params: Params) -> JSONObject {
    let members = params.jsonValue.objectValue?.members ?? []
    let told = members.filter { !["account", "thread", "window"].contains($0.name) }
    return JSONObject(unique: told.filter { !$0.value.isNull && $0.value != false })
  }

  /// The params of this method within those of another, which has them at /params.
  fileprivate static func innerParams(from node: JSONNode?) throws(RPCError) -> Params {
    do throws(JSONDecodingError) {
      guard let node else { return try Params.fields.decodeNothing() }
      guard node.elementCount == nil else { return try Params.fields.decode(elements: node) }
      return try Params.fields.decode(members: node, ignoring: nil)
    } catch {
      throw RPCError(error.inside("params"))
    }
  }
}
