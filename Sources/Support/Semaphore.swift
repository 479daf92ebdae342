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
}
