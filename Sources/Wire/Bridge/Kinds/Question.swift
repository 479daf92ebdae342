import JSON
import JSONRPC
import MAM
import Model
import Policy
import Vault

/// A question that only reads the state.
protocol Question: MemoryFirstMethod, DecidingMethod where Captured: Inquiry, Captured.Params == Params {
  static func answer(_ asked: Captured, _ state: CoreState) throws(MAMError) -> Answer
}

extension Question {
  static func capture(_ params: Params, on connection: BridgeConnection) -> Captured {
    Captured(params, on: connection)
  }

  static func answer(
    _ asked: Captured, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Result> {
    let core = connection.core
    guard case .now(let state) = try core.state(within: reach) else { return .needsDisk }
    do throws(MAMError) {
      let answer = try answer(asked, state)
      trace(answer, of: asked, in: core, state)
      return .now(answer.value)
    } catch {
      trace(error, of: asked, in: core, state)
      throw error
    }
  }

  static func prepared(_ node: JSONNode?, on connection: BridgeConnection) throws(RPCError) -> PreparedQuestion {
    let asked = Captured(try innerParams(from: node), on: connection)
    return PreparedQuestion(
      subject: asked.subject,
      means: .memory { state throws(MAMError) in attempted(try answer(asked, state), asked.params) })
  }
}

/// A question about one account's policy. Fails if the app requires a policy and has none.
protocol PolicyQuestion: Question where Params: Targeted, Captured == Addressed<Params> {
  static func answer(_ policy: PolicyQuestions, _ params: Params, _ state: CoreState) -> Answer
}

extension PolicyQuestion {
  static var errors: [ErrorCode] { [.policyRequired] }

  static func answer(_ asked: Addressed<Params>, _ state: CoreState) throws(MAMError) -> Answer {
    answer(try state.questions(about: asked.account, sharing: asked.view), asked.params, state)
  }
}

/// A question about bytes, which are protected or opened at once if they are short and their keys are in memory.
protocol ContentQuestion: MemoryFirstMethod, DecidingMethod where Params: Targeted, Captured == Addressed<Params> {
  /// Decides in `rooms`, which may be others than those of the core.
  static func decide(
    _ asked: Addressed<Params>, in rooms: any Rooms, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Answer>
}

extension ContentQuestion {
  static func capture(_ params: Params, on connection: BridgeConnection) -> Addressed<Params> {
    Addressed(params, on: connection)
  }

  static func answer(
    _ asked: Addressed<Params>, on connection: BridgeConnection, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Result> {
    let core = connection.core
    // The trace of a decision is written by the work.
    guard reach == .disk || !core.verbose.isOn else { return .needsDisk }
    do throws(MAMError) {
      guard case .now(let answer) = try decide(asked, in: core, on: connection, reach) else { return .needsDisk }
      trace(answer, of: asked, in: core, core.state)
      return .now(answer.value)
    } catch {
      trace(error, of: asked, in: core, core.state)
      throw error
    }
  }

  /// An explanation changes nothing and may wait for the disk.
  static func prepared(_ node: JSONNode?, on connection: BridgeConnection) throws(RPCError) -> PreparedQuestion {
    let asked = Addressed(try innerParams(from: node), on: connection)
    return PreparedQuestion(
      subject: asked.subject,
      means: .work { rooms throws(MAMError) in
        attempted(try decide(asked, in: rooms, on: connection, .disk).get(), asked.params)
      })
  }
}

/// A question that may wait for the disk or a host.
protocol WorkQuestion: WorkMethod, DecidingMethod where Params: Targeted, Captured == Addressed<Params> {
  /// Decides in `rooms`, which may be others than those of the core.
  static func decide(
    _ asked: Addressed<Params>, in rooms: any Rooms, on connection: BridgeConnection
  ) async throws(MAMError) -> Answer
  /// Carries out what it decides, for a method that does more than answer. Must decide with the same function as
  /// `decide`.
  static func act(_ asked: Addressed<Params>, on connection: BridgeConnection) async throws(MAMError) -> Answer
}

extension WorkQuestion {
  static func act(_ asked: Addressed<Params>, on connection: BridgeConnection) async throws(MAMError) -> Answer {
    try await decide(asked, in: connection.core, on: connection)
  }

  static func answer(_ asked: Addressed<Params>, on connection: BridgeConnection) async throws(MAMError) -> Result {
    let core = connection.core
    do throws(MAMError) {
      let answer = try await act(asked, on: connection)
      trace(answer, of: asked, in: core, core.state)
      return answer.value
    } catch {
      trace(error, of: asked, in: core, core.state)
      throw error
    }
  }

  /// An explanation changes nothing, so it does not wait in the method's queue.
  static func prepared(_ node: JSONNode?, on connection: BridgeConnection) throws(RPCError) -> PreparedQuestion {
    let asked = Addressed(try innerParams(from: node), on: connection)
    return PreparedQuestion(
      subject: asked.subject,
      means: .work { rooms async throws(MAMError) in
        attempted(try await decide(asked, in: rooms, on: connection), asked.params)
      })
  }
}
