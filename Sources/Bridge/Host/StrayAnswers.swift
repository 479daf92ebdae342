import JSONRPC
import MAM
import Support

/// Tells the diagnostics log of answers that answer nothing.
///
/// A host may send any number of them, from the thread that reads and may not wait for the disk: one task writes at a
/// time, and what comes meanwhile is only counted.
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
    let name = answer.method ?? "no request"
    let others = count > 1 ? ", and \(count - 1) more" : ""
    warn("\(public: name): \(answer.fault.text) (id \(public: answer.id)\(public: others)); it was dropped")
  }
}

extension StrayAnswer.Fault {
  fileprivate var text: StaticString {
    switch self {
    case .unknown: "an answer with an id that no open request has"
    case .again: "a second answer"
    case .late: "an answer that came too late"
    }
  }
}
