import Support
import Testing

@Suite("Timers", .timeLimit(.minutes(1)))
struct TimersTests {
  @Test("fire in the order of their times, each once")
  func order() {
    let (timers, fired, done) = (Timers(), Lock<[Int]>([]), Semaphore())
    for delay in [30, 0, 15] {
      _ = timers.after(.milliseconds(delay)) {
        fired.withLock { $0.append(delay) }
        done.signal()
      }
    }
    for _ in 0..<3 { done.wait() }
    #expect(fired.withLock { $0 } == [0, 15, 30])
  }

  @Test("that are cancelled do not fire, and hold nothing")
  func cancelled() {
    let (timers, fired, done) = (Timers(), Lock(0), Semaphore())
    let timer = timers.after(.milliseconds(20)) { fired.withLock { $0 += 1 } }
    let long = timers.after(.seconds(86_400)) { [fired] in fired.withLock { $0 += 1 } }
    timer.cancel()
    long.cancel()
    _ = timers.after(.milliseconds(40)) { done.signal() }
    done.wait()
    timer.cancel()
    #expect(fired.withLock { $0 } == 0)
  }
}
