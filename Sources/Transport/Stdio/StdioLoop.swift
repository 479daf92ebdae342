import Glibc
import JSONRPC

/// Serves one session over standard input and output, on the calling thread, until it is over.
package final class StdioLoop {
  /// How long work in flight may go on after the input has ended, in seconds.
  package static let graceSeconds: Double = 30

  private let input: ByteChannel
  private let output: ByteChannel
  private let wakeUp = EventDescriptor()
  private let signals: TerminationSignals
  private let session: Session
  private let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var inputIsOpen = true
  private var deadline: Double?
  private var exitCode: Int32 = 0

  /// `makeSession` is given what wakes this loop, callable from any thread.
  package init(
    input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO, signals: TerminationSignals,
    makeSession: (_ wake: @escaping @Sendable () -> Void) -> Session
  ) {
    self.input = ByteChannel(input, for: O_RDONLY)
    self.output = ByteChannel(output, for: O_WRONLY)
    self.signals = signals
    session = makeSession { [wakeUp] in wakeUp.signal() }
  }

  deinit {
    readBuffer.deallocate()
  }

  /// The exit code: 0; 75 when work was cut off after the grace time; 74 when output could not be written;
  /// 128 plus the signal for a second signal.
  package func run() -> Int32 {
    while !isOver {
      let ready = waitForEvents()
      if ready.signal { handleSignal() }
      if ready.wakeUp { resumeSession() }
      if ready.input { readOnce() }
      flush()
      cutOffWhenDue()
    }
    return exitCode
  }

  private var isOver: Bool { !inputIsOpen && session.isFinished && !session.hasOutput }

  private struct Ready {
    var input = false
    var wakeUp = false
    var signal = false
  }

  private func waitForEvents() -> Ready {
    let readsInput = inputIsOpen && session.wantsInput
    var entries = [
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: readsInput ? input.descriptor : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: session.hasOutput ? output.descriptor : -1, events: Int16(POLLOUT), revents: 0),
    ]
    guard poll(&entries, nfds_t(entries.count), timeoutMilliseconds) > 0 else { return Ready() }
    return Ready(
      input: entries[2].revents != 0, wakeUp: entries[1].revents != 0, signal: entries[0].revents != 0)
  }

  private var timeoutMilliseconds: Int32 {
    guard let deadline else { return -1 }
    return Int32(max(0, min(60_000, (deadline - monotonicSeconds()) * 1000 + 1)))
  }

  private func readOnce() {
    switch input.read(into: readBuffer) {
    case .bytes(let count): session.receive(UnsafeRawBufferPointer(rebasing: readBuffer[..<count]))
    case .wouldBlock: break
    case .closed, .failed: endInput()
    }
  }

  private func resumeSession() {
    wakeUp.clear()
    session.run()
  }

  private func handleSignal() {
    guard let number = signals.take() else { return }
    guard inputIsOpen else { exit(128 + number) }
    endInput()
  }

  private func endInput() {
    guard inputIsOpen else { return }
    inputIsOpen = false
    deadline = monotonicSeconds() + Self.graceSeconds
    session.endOfInput()
  }

  private func flush() {
    while session.hasOutput {
      switch session.withOutput(output.write) {
      case .bytes(let count): session.consumeOutput(count)
      case .wouldBlock: return
      case .closed: abandonOutput(exitCode: 0)
      case .failed: abandonOutput(exitCode: 74)
      }
    }
  }

  /// Nobody reads any more: what is in flight is still finished, its replies go nowhere.
  private func abandonOutput(exitCode: Int32) {
    self.exitCode = max(self.exitCode, exitCode)
    session.discardOutput()
    endInput()
  }

  private func cutOffWhenDue() {
    guard let deadline, monotonicSeconds() >= deadline, !session.isFinished || session.hasOutput else { return }
    self.deadline = nil
    exitCode = 75
    session.abandon()
    flush()
    session.discardOutput()
  }
}

private func monotonicSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
