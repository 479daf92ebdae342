import CGlibc
import Glibc

/// A descriptor that polls as readable from `signal` until `clear`. Any thread can use it to wake a loop.
package final class EventDescriptor: Sendable {
  package let descriptor: Int32

  package init() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
  }

  deinit {
    close(descriptor)
  }

  package func signal() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  package func clear() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
  }

  /// Returns true if the other descriptor is readable; false after a signal, which is cleared, or when the time is up.
  @discardableResult
  package func wait(orFor other: Int32 = -1, atMost limit: Duration? = nil) -> Bool {
    var polled = [descriptor, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&polled, 2, limit.map { Int32(clamping: max(0, $0.milliseconds)) } ?? -1)
    if polled[0].revents != 0 { clear() }
    return polled[1].revents != 0
  }
}
