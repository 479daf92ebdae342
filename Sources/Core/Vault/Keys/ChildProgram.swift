import Glibc
import Support

/// A running program with a time limit: its deadline, or the end of the call that needs it.
struct ChildProgram {
  enum Output { case whole(Int), tooLong, late }

  let process: ChildProcess
  let deadline: ContinuousClock.Instant

  /// Reads its whole output, until the pipe is closed or the program has ended. A program that it left in the background
  /// may keep the pipe open for ever, and what that writes later is not part of the output.
  func read(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer) -> Output {
    var count = 0
    while count < target.count {
      switch readiness(of: descriptor, orEnd: true) {
      case .ready: break
      case .ended: return .whole(count)
      case .late: return .late
      }
      let result = uninterrupted {
        Glibc.read(descriptor, target.baseAddress.map { $0 + count }, target.count - count)
      }
      guard result > 0 else { return .whole(count) }
      count += result
    }
    return .tooLong
  }

  /// `nil` if it does not end in time.
  func waitForEnd() -> ChildProcess.Ending? {
    let handle = process.openHandle()
    defer { if handle >= 0 { close(handle) } }
    if handle >= 0, case .late = readiness(of: handle) { return nil }
    // Poll on systems without process descriptors.
    while isInTime {
      if let ending = process.reap() { return ending }
      wait { OutsideWait.sleep(Self.slice) }
    }
    return process.reap()
  }

  /// Kills the program if it is still running. Gives up after a second, for example if it hangs in a driver.
  func stop() {
    process.signal(SIGKILL)
    for _ in 0..<200 {
      guard process.reap() == nil else { return }
      OutsideWait.sleep(.milliseconds(5))
    }
  }

  /// How soon an abandoned call is noticed.
  private static let slice = Duration.milliseconds(20)

  private var isInTime: Bool { deadline > .now && CommitPoint.current?.state != .abandoned }

  private enum Readiness { case ready, ended, late }

  /// Waits until the descriptor is readable or, with `orEnd`, the program has ended with nothing left to read.
  private func readiness(of descriptor: Int32, orEnd: Bool = false) -> Readiness {
    while isInTime {
      // Asked first: what the program wrote before its end is in the pipe by then.
      let hasEnded = orEnd && process.hasEnded
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      var count: Int32 = 0
      if hasEnded { count = poll(&polled, 1, 0) } else { wait { count = poll(&polled, 1, 20) } }
      if count > 0 { return .ready }
      if hasEnded && count == 0 { return .ended }
    }
    return .late
  }

  /// Waits without occupying a thread that others need.
  private func wait(_ body: () -> Void) {
    if !BlockingExecutor.shared.replacingThread(body) { body() }
  }
}
