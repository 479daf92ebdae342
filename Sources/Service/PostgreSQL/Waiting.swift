#if TenantService
  import CGlibc
  import Glibc

  /// Wakes one thread.
  final class WakeUp: Sendable {
    private let descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))

    deinit { close(descriptor) }

    func signal() {
      var one: UInt64 = 1
      _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Returns after a signal, or when the time is up.
    func wait(atMost limit: Duration) { _ = wait(orFor: -1, atMost: limit) }

    /// Returns true if the other descriptor is readable; false after a signal, or when the time is up.
    func wait(orFor other: Int32, atMost limit: Duration? = nil) -> Bool {
      var polled = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&polled, 2, limit.map { Int32(clamping: max(0, $0.milliseconds)) } ?? -1)
      if polled[0].revents != 0 {
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
      }
      return polled[1].revents != 0
    }
  }

  /// The pauses between attempts to connect: 0.1 seconds, then longer and longer, up to 2 seconds, so that calls succeed
  /// soon after the server is back.
  struct BackOff {
    private static let longest = 2000

    private var pause = 100

    mutating func next() -> Duration {
      defer { pause = min(pause * 2, Self.longest) }
      // Not all threads of all replicas at once.
      return .milliseconds(Int.random(in: pause / 2...pause))
    }
  }
#endif
