import JSONRPC
import NIOCore
import Support

/// A value that can be lent to another thread for long work.
protocol Loanable: SendableMetatype {
  var hasLongWork: Bool { get }
  mutating func runLong()
}

extension Session: Loanable {}

/// A session, or a value that contains one, on an event loop that also serves other connections. A thread beside the
/// loop handles a long message; messages that arrive meanwhile are handled in order when the session returns.
final class LoanedSession<Value: Loanable> {
  /// Held by the loop, or by the thread while `isAway`: neither ever waits for the other.
  private let value: Lock<Value>
  private let eventLoop: any EventLoop
  private(set) var isAway = false
  private var postponed = CircularBuffer<@Sendable (inout Value) -> Void>()
  /// Called on the loop when the session is back and postponed work is done.
  private let didReturn: @Sendable () -> Void

  init(_ value: sending Value, on eventLoop: any EventLoop, didReturn: @escaping @Sendable () -> Void) {
    self.value = Lock(value)
    self.eventLoop = eventLoop
    self.didReturn = didReturn
  }

  /// Runs now or, if the session is away, when it returns.
  func perform(_ body: @escaping @Sendable (inout Value) -> Void) {
    guard !isAway else { return postponed.append(body) }
    if ask({ value in
      body(&value)
      return value.hasLongWork
    }) {
      lend()
    }
  }

  /// Must not be called while the session is away. Use `perform` for anything that may start work.
  func ask<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
    value.withLock(body)
  }

  private func lend() {
    isAway = true
    let (value, loop) = (value, NIOLoopBound(self, eventLoop: eventLoop))
    LongMessages.run {
      value.withLock { $0.runLong() }
      loop.eventLoop.execute { loop.value.takeBack() }
    }
  }

  private func takeBack() {
    isAway = false
    while !isAway, let body = postponed.popFirst() { perform(body) }
    if !isAway { didReturn() }
  }
}

/// The threads for long messages: one for each such message, so that none waits for another.
private enum LongMessages {
  private static let executor = BlockingExecutor(threadCount: 1 << 16)

  static func run(_ body: @escaping @Sendable () -> Void) {
    Task(executorPreference: executor) { body() }
  }
}
