import CGlibc
import Glibc
import Support

/// A program that was started and has a limited time: until its deadline, or until nobody waits for the call that needs it.
struct ChildProgram {
  enum Output { case whole(Int), tooLong, late }

  let identifier: pid_t
  let deadline: ContinuousClock.Instant

  /// All that it writes, until it closes its end.
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

  /// What `waitpid` says of it; nil when it does not end in time.
  func waitForEnd() -> Int32? {
    let handle = cglibc_pidfd_open(identifier)
    defer { if handle >= 0 { close(handle) } }
    guard handle < 0 || isReady(handle) else { return nil }
    var status: Int32 = 0
    while true {
      let found = waitpid(identifier, &status, WNOHANG)
      if found == identifier { return status }
      // A system without such handles is asked again and again.
      guard found == 0 || errno == EINTR, isInTime else { return nil }
      wait { OutsideWait.sleep(Self.slice) }
    }
  }

  /// Ends it when it has not ended yet. What the system does not end within a second, such as a program that hangs in a
  /// driver, is left to it.
  func stop() {
    guard waitpid(identifier, nil, WNOHANG) == 0 else { return }
    kill(identifier, SIGKILL)
    for _ in 0..<200 {
      guard waitpid(identifier, nil, WNOHANG) == 0 else { return }
      OutsideWait.sleep(.milliseconds(5))
    }
  }

  /// How soon it is seen that nobody waits any more.
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

  /// The time of the program is not taken from the threads that others need.
  private func wait(_ body: () -> Void) {
    if !BlockingExecutor.shared.replacingThread(body) { body() }
  }
}

extension [String] {
  /// As the system wants the arguments of a program: with nil at the end, valid while `body` runs.
  func withCStrings<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    let copies = map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
  }
}
