import Glibc

/// The source of time for the core; nothing else asks the system.
public protocol Clock: Sendable {
  var now: Timestamp { get }
  /// This clock, if a script moves it. Not a cast, which looks types up at run time.
  var manual: ManualClock? { get }
}

extension Clock {
  public var manual: ManualClock? { nil }
}

public struct SystemClock: Clock {
  public init() {}

  public var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }
}

/// Stands still until it is advanced, so that a script can live through months in a second.
public final class ManualClock: Clock {
  private let time: Lock<Timestamp>

  public init(startingAt start: Timestamp) {
    time = Lock(start)
  }

  public var now: Timestamp { time.withLock { $0 } }
  public var manual: ManualClock? { self }

  /// Moves forward; ignores a negative number.
  public func advance(byMilliseconds milliseconds: Int64) {
    time.withLock { $0 = $0.advanced(by: max(0, milliseconds)) }
  }
}
