import CGlibc
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

extension Lock {
  /// As `withLock`, for a lock whose holder may wait for others: gives up as an `OutsideWait` does, and returns nil then.
  package func withLockInTime<Result, Failure: Error>(
    atMost limit: Duration? = nil, _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard takeInTime(atMost: limit) else { return nil }
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  private func takeInTime(atMost limit: Duration?) -> Bool {
    var isTaken = pthread_mutex_trylock(mutex) == 0
    var wait = OutsideWait(atMost: limit)
    while !isTaken {
      guard wait.pause({ isTaken = cglibc_mutex_lock_within(mutex, $0.nanoseconds) == 0 }) else { return false }
    }
    return true
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
