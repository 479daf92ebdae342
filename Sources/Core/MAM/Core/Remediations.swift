import Model
import Support

/// The remediations of one process that run or wait, in the order of the requests. Only one runs at a time.
final class Remediations: Sendable {
  typealias Outcome = Result<ComplianceStatus, MAMError>

  private struct Entry: Sendable {
    let id: Int
    let reference: AccountReference
    let task: Task<Outcome, Never>
    var callers = 1
  }

  private struct State: Sendable {
    var entries: [Entry] = []
    var lastID = 0
  }

  private let state = Lock(State())

  func includes(_ reference: AccountReference, _ directory: AccountDirectory) -> Bool {
    callers(of: reference, directory) > 0
  }

  /// The number of calls that wait for the account's remediation.
  func callers(of reference: AccountReference, _ directory: AccountDirectory) -> Int {
    state.withLock { state in
      state.entries.first { directory.areEqual($0.reference, reference) }?.callers ?? 0
    }
  }

  /// Returns the outcome of the account's remediation. If there is none, starts one after the others.
  func run(
    _ reference: AccountReference, _ directory: AccountDirectory, _ body: @escaping @Sendable () async -> Outcome
  ) async throws(MAMError) -> ComplianceStatus {
    let task = state.withLock { state in
      if let index = state.entries.firstIndex(where: { directory.areEqual($0.reference, reference) }) {
        state.entries[index].callers += 1
        return state.entries[index].task
      }
      return add(reference, to: &state, body)
    }
    return try await task.value.get()
  }

  private func add(
    _ reference: AccountReference, to state: inout State, _ body: @escaping @Sendable () async -> Outcome
  ) -> Task<Outcome, Never> {
    state.lastID += 1
    let (id, previous) = (state.lastID, state.entries.last?.task)
    let task = Task(executorPreference: BlockingExecutor.shared) { [self] () -> Outcome in
      _ = await previous?.value
      // A remediation belongs to all its callers, so none of them can stop it.
      let outcome = await CallContext.$current.withValue(.lasting) { () async -> Outcome in await body() }
      self.state.withLock { state in state.entries.removeAll { $0.id == id } }
      return outcome
    }
    state.entries.append(Entry(id: id, reference: reference, task: task))
    return task
  }
}

extension Result where Failure == MAMError {
  static func of(_ body: () async throws(MAMError) -> Success) async -> Result {
    do throws(MAMError) {
      return .success(try await body())
    } catch {
      return .failure(error)
    }
  }
}
