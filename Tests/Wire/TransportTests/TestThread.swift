import Glibc
import Support

/// A thread of a test: what blocks must not hold a thread of the pool that others wait for.
final class TestThread<Result: Sendable>: Sendable {
  private let result = Lock<Result?>(nil)
  private let ended = Semaphore()

  init(_ body: @escaping @Sendable () -> Result) {
    let job = Job { [result, ended] in
      let value = body()
      result.withLock { $0 = value }
      ended.signal()
    }
    var thread = pthread_t()
    pthread_create(&thread, nil, { runJob($0) }, Unmanaged.passRetained(job).toOpaque())
    pthread_detach(thread)
  }

  /// The result, when it is there; to be called once.
  func join() -> Result? {
    ended.wait()
    return result.withLock { $0 }
  }
}

private final class Job: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

private func runJob(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body()
  return nil
}
