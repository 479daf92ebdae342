import JSONRPC
import NIOCore
import Support

/// What may be lent to a thread of its own when it has something long to do.
protocol Loanable: SendableMetatype {
  var hasLongWork: Bool { get }
  mutating func runLong()
}

extension Session: Loanable {}

/// A session, or what holds one, that belongs to an event loop which serves other connections too. A long message is
/// done on a thread beside the loop; what comes meanwhile is done in its order when the session is back.
final class LoanedSession<Value: Loanable> {
  /// Held by the loop, or by the thread while `isAway`: neither ever waits for the other.
  private let value: Lock<Value>
  private let eventLoop: any EventLoop
  private(set) var isAway = false
  private var postponed = CircularBuffer<@Sendable (inout Value) -> Void>()
  /// Called on the loop when it is back and what was postponed is done.
  private let didReturn: @Sendable () -> Void

  init(_ value: sending Value, on eventLoop: any EventLoop, didReturn: @escaping @Sendable () -> Void) {
    self.value = Lock(value)
    self.eventLoop = eventLoop
    self.didReturn = didReturn
  }

  /// Does it now, or, while the session is away, later.
  func tell(_ body: @escaping @Sendable (inout Value) -> Void) {
    guard !isAway else { return postponed.append(body) }
    if ask({ value in
      body(&value)
      return value.hasLongWork
    }) {
      lend()
    }
  }

  /// Not while it is away. What may begin something is for `tell`.
  func ask<Result: Sendable>(_ body: (inout sending Value) -> Result) -> Result {
    value.withLock { body(&$0) }
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
    while !isAway, let body = postponed.popFirst() { tell(body) }
    if !isAway { didReturn() }
  }
}

/// The threads for long messages: as many as there are such messages at one time, so that none waits for another.
private enum LongMessages {
  private static let executor = BlockingExecutor(threadCount: 1 << 16)

  static func run(_ body: @escaping @Sendable () -> Void) {
    Task(executorPreference: executor) { body() }
  }
}
