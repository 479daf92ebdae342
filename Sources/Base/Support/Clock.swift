import Glibc

/// The source of time for the core; nothing else asks the system.
package protocol Clock: Sendable {
  var now: Timestamp { get }
  /// How long the machine has been running, which nobody sets. `nil` for a clock that only a script moves.
  var uptime: Uptime? { get }
  /// This clock, if a script moves it. Not a cast, which looks types up at run time.
  var manual: ManualClock? { get }
}

extension Clock {
  package var uptime: Uptime? { nil }
  package var manual: ManualClock? { nil }
}

package struct SystemClock: Clock {
  package init() {}

  package var now: Timestamp { Timestamp(milliseconds: Self.milliseconds(CLOCK_REALTIME)) }
  package var uptime: Uptime? { Uptime(boot: Self.boot, milliseconds: Self.milliseconds(CLOCK_BOOTTIME)) }

  /// Empty if the kernel does not say, such as where /proc is not mounted.
  private static let boot: String = {
    let bytes = (try? FileContents.read("/proc/sys/kernel/random/boot_id", upTo: 100)) ?? []
    return String(decoding: bytes.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
  }()

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// How long a machine has been running, time asleep included.
package struct Uptime: Hashable, Sendable {
  /// Names the start of the machine; empty if it is unknown.
  package var boot: String
  package var milliseconds: Int64

  package init(boot: String, milliseconds: Int64) {
    (self.boot, self.milliseconds) = (boot, milliseconds)
  }

  /// The milliseconds since an earlier reading; `nil` if the machine was started in between. An unknown start counts as
  /// the same one, unless the uptime is shorter: too short a time is the safer error.
  package func since(_ earlier: Uptime) -> Int64? {
    if boot.isEmpty || earlier.boot.isEmpty {
      return milliseconds < earlier.milliseconds ? nil : milliseconds - earlier.milliseconds
    }
    return boot == earlier.boot ? max(0, milliseconds - earlier.milliseconds) : nil
  }
}

/// Stands still until it is advanced, so that a script can live through months in a second.
package final class ManualClock: Clock {
  private let time: Lock<Timestamp>

  package init(startingAt start: Timestamp) {
    time = Lock(start)
  }

  package var now: Timestamp { time.withLock { $0 } }
  package var manual: ManualClock? { self }

  /// Moves forward; ignores a negative number.
  package func advance(byMilliseconds milliseconds: Int64) {
    time.withLock { $0 = $0.advanced(by: max(0, milliseconds)) }
  }

  /// Moves forward or back, for a state that takes the place of another one.
  package func set(to new: Timestamp) {
    time.withLock { $0 = new }
  }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero.
  package var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
