import Glibc
import Support

/// A running program with a time limit: its deadline, or the end of the call that needs it.
struct ChildProgram {
  enum Output { case whole(Int), tooLong, late }

  let process: ChildProcess
  let deadline: ContinuousClock.Instant

  /// Reads its whole output, until it closes the pipe.
  func read(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer) -> Output {
    var count = 0
    while count < target.count {
      guard isReady(descriptor) else { return .late }
      let result = Glibc.read(descriptor, target.baseAddress.map { $0 + count }, target.count - count)
      if result < 0 && errno == EINTR { continue }
      guard result > 0 else { return .whole(count) }
      count += result
    }
    return .tooLong
  }

  /// `nil` if it does not end in time.
  func waitForEnd() -> ChildProcess.Ending? {
    let handle = process.openHandle()
    defer { if handle >= 0 { close(handle) } }
    guard handle < 0 || isReady(handle) else { return nil }
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

  private func isReady(_ descriptor: Int32) -> Bool {
    var count: Int32 = 0
    while count == 0 || count < 0 && errno == EINTR {
      guard isInTime else { return false }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      wait { count = poll(&polled, 1, 20) }
    }
    return count > 0
  }

  /// Waits without occupying a thread that others need.
  private func wait(_ body: () -> Void) {
    if !BlockingExecutor.shared.replacingThread(body) { body() }
  }
}
