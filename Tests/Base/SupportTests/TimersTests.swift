import Support
import Testing

@Suite("Timers", .timeLimit(.minutes(5)))
struct TimersTests {
  @Test("Timers fire once each, in the order of their times")
  func order() {
    let (timers, fired, done) = (Timers(), Lock<[Int]>([]), Semaphore())
    let (isHeld, allAreThere) = (Semaphore(), Semaphore())
    // The times are past, and far apart, and nothing fires before all are there: how busy the machine is has no say.
    _ = timers.after(.zero) {
      isHeld.signal()
      allAreThere.wait()
    }
    isHeld.wait()
    for hours in [-1, -3, -2] {
      _ = timers.after(.seconds(hours * 3600)) {
        fired.withLock { $0.append(hours) }
        done.signal()
      }
    }
    allAreThere.signal()
    for _ in 0..<3 { done.wait() }
    #expect(fired.withLock { $0 } == [-3, -2, -1])
  }

  @Test("A timer that is added while no other one waits fires")
  func idle() {
    let (timers, done) = (Timers(), Semaphore())
    for _ in 0..<3 {
      _ = timers.after(.milliseconds(1)) { done.signal() }
      done.wait()
      // Until its thread waits without an end.
      OutsideWait.sleep(.milliseconds(100))
    }
  }

  @Test("Canceled timers do not fire")
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
