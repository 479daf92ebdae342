import MAM
import Support

/// Leads each prompt of a source to the sign-in that it belongs to.
///
/// A prompt does not say whose it is. So one sign-in at a time waits for its first prompt, which is the next that comes;
/// then the next sign-in may begin. A sign-in that was prompted goes on beside the others.
final class SourcePrompts: Sendable {
  typealias Show = @Sendable (SourcePrompt) -> Void

  private struct Turn {
    let id: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var lastID = 0
    /// The sign-in whose first prompt comes next.
    var current: Int?
    var waiting: [Turn] = []
    /// The sign-ins that are under way, oldest first.
    var shown: [(id: Int, show: Show)] = []

    mutating func passOn() -> CheckedContinuation<Bool, Never>? {
      current = nil
      guard !waiting.isEmpty else { return nil }
      let next = waiting.removeFirst()
      current = next.id
      return next.continuation
    }
  }

  private let state = Lock(State())

  /// Waits for the turn of a sign-in. Call `end` with the result. `nil` if the task is cancelled first.
  func begin(_ show: @escaping Show) async -> Int? {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    let isIn = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          guard state.current != nil else {
            state.current = id
            return true
          }
          state.waiting.append(Turn(id: id, continuation: continuation))
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      leave(id)
    }
    guard isIn else { return nil }
    state.withLock { $0.shown.append((id, show)) }
    return id
  }

  private func leave(_ id: Int) {
    let turn = state.withLock { state -> Turn? in
      guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
      return state.waiting.remove(at: index)
    }
    turn?.continuation.resume(returning: false)
  }

  func end(_ id: Int) {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      state.shown.removeAll { $0.id == id }
      return state.current == id ? state.passOn() : nil
    }
    next?.resume(returning: true)
  }

  /// Shows a prompt. Returns false if no sign-in is under way.
  func show(_ prompt: SourcePrompt) -> Bool {
    let (show, next) = state.withLock { state -> (Show?, CheckedContinuation<Bool, Never>?) in
      let show = state.shown.first { $0.id == state.current }?.show ?? state.shown.last?.show
      return (show, state.current != nil && show != nil ? state.passOn() : nil)
    }
    next?.resume(returning: true)
    show?(prompt)
    return show != nil
  }
}
