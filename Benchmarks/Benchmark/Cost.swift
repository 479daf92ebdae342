import Glibc

/// The cost of an operation in seconds, by the clock and in processor time.
struct Cost {
  var elapsed, processor: Double

  init(of body: () throws -> Void) rethrows {
    let (start, processorStart) = (Self.seconds(CLOCK_MONOTONIC), Self.seconds(CLOCK_PROCESS_CPUTIME_ID))
    try body()
    elapsed = Self.seconds(CLOCK_MONOTONIC) - start
    processor = Self.seconds(CLOCK_PROCESS_CPUTIME_ID) - processorStart
  }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// An operation to measure. The time of `prepare` does not count.
struct Measured {
  var prepare: () throws -> Void = {}
  let body: () throws -> Void

  fileprivate func cost() throws -> Cost {
    try prepare()
    return try Cost(of: body)
  }

  /// The lowest cost of each in `runs` runs, in which both take turns: other processes can only add to it.
  static func least(_ runs: Int, _ one: Measured, _ other: Measured) throws -> (one: Cost, other: Cost) {
    var (first, second) = (try one.cost(), try other.cost())
    for _ in 1..<max(1, runs) {
      first.keepLess(try one.cost())
      second.keepLess(try other.cost())
    }
    return (first, second)
  }
}

extension Cost {
  fileprivate mutating func keepLess(_ other: Cost) {
    elapsed = min(elapsed, other.elapsed)
    processor = min(processor, other.processor)
  }
}

extension Double {
  /// Rounded to three decimal places.
  var short: String { String((self * 1000).rounded() / 1000) }
}
