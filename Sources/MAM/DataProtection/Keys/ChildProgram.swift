import CGlibc
import Glibc

/// A program that was started and has a limited time.
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
    while waitpid(identifier, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    return status
  }

  /// Ends it when it has not ended yet.
  func stop() {
    guard waitpid(identifier, nil, WNOHANG) == 0 else { return }
    kill(identifier, SIGKILL)
    while waitpid(identifier, nil, 0) < 0 && errno == EINTR {}
  }

  private func isReady(_ descriptor: Int32) -> Bool {
    while true {
      let rest = deadline - .now
      guard rest > .zero else { return false }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let milliseconds = rest.components.seconds * 1000 + 1
      let count = poll(&polled, 1, Int32(clamping: milliseconds))
      if count > 0 { return true }
      guard count == 0 || errno == EINTR else { return false }
    }
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
