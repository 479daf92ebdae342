import JSONRPC
import MAM
import Support

/// Logs answers that match no open request.
///
/// A host may send any number of them, and the reading thread must not wait for the disk. So one task writes at a time,
/// and answers that arrive meanwhile are only counted.
final class StrayAnswers: Sendable {
  private struct State {
    var isWriting = false
    var last: StrayAnswer?
    var count = 0

    mutating func take() -> (answer: StrayAnswer, count: Int)? {
      guard let answer = last.take() else {
        isWriting = false
        return nil
      }
      defer { count = 0 }
      return (answer, count)
    }
  }

  private let state = Lock(State())
  private let warn: @Sendable (LogMessage) -> Void

  init(warn: @escaping @Sendable (LogMessage) -> Void) {
    self.warn = warn
  }

  func add(_ answer: StrayAnswer) {
    let needsTask = state.withLock { state in
      state.last = answer
      state.count += 1
      defer { state.isWriting = true }
      return !state.isWriting
    }
    guard needsTask else { return }
    Task(executorPreference: BlockingExecutor.shared) { [self] in
      while let (answer, count) = state.withLock({ $0.take() }) { write(answer, count) }
    }
  }

  private func write(_ answer: StrayAnswer, _ count: Int) {
    let name = answer.method ?? "an unknown request"
    let others = count > 1 ? ", and \(count - 1) more" : ""
    warn(
      "dropped the host's answer to \(public: name) (id \(public: answer.id)\(public: others)): \(answer.fault.text)")
  }
}

extension StrayAnswer.Fault {
  fileprivate var text: StaticString {
    switch self {
    case .unknown: "no open request has this id"
    case .again: "the request was already answered"
    case .late: "it came too late"
    }
  }
}
