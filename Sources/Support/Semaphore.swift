import Glibc

/// A counting semaphore for threads, not for tasks.
package final class Semaphore: @unchecked Sendable {  // sem_t is made for use from several threads
  private let handle: UnsafeMutablePointer<sem_t>

  package init() {
    handle = .allocate(capacity: 1)
    handle.initialize(to: sem_t())
    sem_init(handle, 0, 0)
  }

  deinit {
    sem_destroy(handle)
    handle.deallocate()
  }

  package func signal() {
    sem_post(handle)
  }

  package func wait() {
    while sem_wait(handle) != 0 && errno == EINTR {}
  }

  /// May return early. By the wall clock, as sem_timedwait does: not to be used for long.
  package func wait(atMost duration: Duration) {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    let (seconds, attoseconds) = max(.zero, duration).components
    let nanoseconds = end.tv_nsec + Int(attoseconds / 1_000_000_000)
    end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    sem_timedwait(handle, &end)
  }
}
