import Glibc

/// A wait for something that only others can end: a lock held by another process, or a thread that waits for such a
/// lock.
///
/// A call waits until its deadline or, without a deadline, for five seconds in all, and stops if nobody needs its
/// answer any longer. While a thread sleeps here, another takes its place in the `BlockingExecutor`.
package struct OutsideWait {
  /// The limit for a call without a deadline, and for each wait of work outside a call.
  package static let limit = Duration.seconds(5)
  private static let longestPause = Duration.milliseconds(20)
  /// For shorter pauses, starting another thread is not worthwhile.
  private static let longestPauseInPlace = Duration.milliseconds(4)

  private let patience = CallContext.current?.patience
  private let limit: Duration?
  private var waited = Duration.zero
  private var nextPause = Duration.microseconds(500)

  /// `limit` makes the wait shorter than the call allows.
  package init(atMost limit: Duration? = nil) {
    self.limit = limit
  }

  /// Waits before the next try; `sleep` receives the maximum duration. Returns false if there must be no other try.
  package mutating func pause(_ sleep: (Duration) -> Void = Self.sleep) -> Bool {
    guard let pause = next() else { return false }
    let start = ContinuousClock.now
    if pause <= Self.longestPauseInPlace {
      sleep(pause)
    } else if !BlockingExecutor.shared.replacingThread({ sleep(pause) }) {
      return false
    }
    count(start.duration(to: .now))
    return true
  }

  /// Like `pause`, for a task, which needs no thread while it waits.
  package mutating func pauseTask() async -> Bool {
    guard let pause = next() else { return false }
    let start = ContinuousClock.now
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      _ = Timers.shared.after(pause) { continuation.resume() }
    }
    count(start.duration(to: .now))
    return true
  }

  /// `nil` when the time is up.
  private mutating func next() -> Duration? {
    let rest = min((patience?.rest ?? Self.limit - waited), (limit ?? Self.limit * 1000) - waited)
    guard rest > .zero, !(patience?.isOver ?? false) else { return nil }
    defer { nextPause = min(nextPause * 2, Self.longestPause) }
    return min(nextPause, rest)
  }

  private mutating func count(_ time: Duration) {
    waited += time
    patience?.didWait(time)
  }

  package static func sleep(_ duration: Duration) {
    usleep(UInt32(clamping: duration.components.attoseconds / 1_000_000_000_000))
  }
}
