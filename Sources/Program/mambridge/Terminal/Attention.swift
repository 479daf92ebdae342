import Glibc
import Support
import Transport

/// Waits on behalf of a command that may go on for long. Notices when the user ends the command, and when nobody reads
/// standard output any longer.
final class Attention {
  /// The command has nothing more to do.
  struct Ended: Error {}

  /// A pipe that can take anything takes this many bytes at once (PIPE_BUF).
  private static let pieceSize = 4096
  private static let readerIsGone = Int16(POLLERR) | Int16(POLLHUP) | Int16(POLLNVAL)

  private let signals: TerminationSignals?

  /// With `handlesSignals`, SIGINT, SIGTERM and SIGHUP end the command in order; otherwise they end the process. To be
  /// made before the process has other threads.
  init(handlesSignals: Bool) {
    signals = handlesSignals ? TerminationSignals() : nil
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits until `descriptor` can be read. Returns false at the deadline.
  func wait(for descriptor: Int32? = nil, until deadline: ContinuousClock.Instant) throws(Ended) -> Bool {
    while true {
      let rest = ContinuousClock.now.duration(to: deadline)
      var polled = [
        pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0), signalEntry,
        pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
      ]
      let count = poll(&polled, 3, rest.pollMilliseconds)
      if count < 0 { continue }
      try check(polled[1], polled[2])
      if polled[0].revents != 0 { return true }
      if rest <= .zero { return false }
    }
  }

  func wait(_ duration: Duration) throws(Ended) { _ = try wait(until: .now + duration) }

  /// Writes to standard output. Can be ended while the reader does not read.
  func print(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      var polled = [signalEntry, pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)]
      if poll(&polled, 2, -1) < 0 { continue }
      if polled[0].revents != 0 { throw Ended() }
      let count = rest.prefix(Self.pieceSize).withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      if count < 0 && errno == EPIPE { throw Ended() }
      guard count > 0 else {
        throw CommandFailure(exitCode: 74, message: "cannot write to standard output: \(SystemError.current.text)")
      }
      rest = rest.dropFirst(count)
    }
  }

  /// `poll` ignores a negative descriptor.
  private var signalEntry: pollfd { pollfd(fd: signals?.descriptor ?? -1, events: Int16(POLLIN), revents: 0) }

  private func check(_ signals: pollfd, _ output: pollfd) throws(Ended) {
    if signals.revents != 0 || output.revents & Self.readerIsGone != 0 { throw Ended() }
  }
}

extension Duration {
  /// Rounded up, so that a wait does not end just before its time.
  fileprivate var pollMilliseconds: Int32 {
    let (seconds, attoseconds) = max(.zero, self).components
    return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
