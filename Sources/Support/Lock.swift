import Glibc

/// A value behind a pthread mutex. Nobody awaits, calls out or touches the disk while holding it.
///
/// What it does is visible to other modules' optimizers: a generic closure through metadata costs more than the lock.
/// Not `Synchronization.Mutex`: the thread sanitizer reports false races for that one on Linux, and this one is faster.
package final class Lock<State>: @unchecked Sendable {  // the mutex guards `state`; the C handle never leaves
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline var state: State

  package init(_ state: sending State) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    self.state = state
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inlinable
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
