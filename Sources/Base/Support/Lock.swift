// Support is what every other target may use and what knows nothing of mambridge: locks, time, threads, programs,
// files.
//
// Start with `Lock`, the only lock for values in memory, and `BlockingExecutor`, whose threads are the only ones that
// may wait for a disk. `Clock` is how anything learns the time; nothing else asks the system for it, so that a test
// can live through 90 days at once. `CallContext` belongs to a call: its deadline, its progress, and the moment after
// which it takes effect.
//
// System/ has each mechanism of Linux once: a thread, a program that was started, a descriptor that wakes a loop, a
// lock on a file, a wait that doubles. Files/ reads whole files and makes new ones so that a power cut leaves the old
// or the new.
//
// Foundation is not used: a program that links it starts three times slower.

import CGlibc
import Glibc

/// A value behind a pthread mutex. Never await, call out or use the disk while holding it.
///
/// Inlinable, because a generic closure through metadata costs more than the lock. Not `Synchronization.Mutex`: the
/// thread sanitizer reports false races for it on Linux, and this lock is faster.
package final class Lock<State>: @unchecked Sendable {  // the mutex guards `state`; the C handle never escapes
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
  /// Like `withLock`, for a lock whose holder may wait for others. Gives up like an `OutsideWait` and then returns
  /// `nil`.
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

  /// May return early. Uses the wall clock, like sem_timedwait, so do not use it for long waits.
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
