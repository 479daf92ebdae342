// Transport carries bytes between a session and the outside: standard input and output, TCP, Unix sockets and HTTP.
// All of them hold the same conversations, which Tests/Transcripts has as text.
//
// Stdio/ is a loop of our own over poll: a process that is started for each call must not pay for an event loop. The
// descriptors of the shell are shared, so their flags are not changed. Sockets/ and HTTP/ are on SwiftNIO, on one
// thread, and start with the first listener. Whoever connects proves who it is, by the user of a Unix socket or by a
// token, before its first request counts.
//
// The end is as careful as the beginning: work that has begun may end, replies are written, and nothing waits for
// ever.

import Glibc
import JSONRPC
import Support

/// Serves one session over standard input and output, on the calling thread, until it ends.
package final class StdioLoop {
  /// How long unfinished work may continue after the end of input, in seconds.
  package static let graceSeconds: Double = 30
  /// How long the last replies may take after that. A host that reads little at a time cannot keep the process alive.
  package static let lastSeconds: Double = 10

  private let input: ByteChannel
  private let output: ByteChannel
  private let wakeUp = EventDescriptor()
  /// `nil` if somebody else handles them.
  private let signals: TerminationSignals?
  private let session: Session
  private let graceSeconds: Double
  private let lastSeconds: Double
  /// The end of the grace time; set when the input has ended.
  private var deadline = Double.infinity
  private var host: ProcessDescriptor?
  private var signalCount = 0
  private var exitCode: Int32 = 0

  /// `makeSession` receives a closure that wakes this loop from any thread.
  package init(
    input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO, signals: TerminationSignals?,
    graceSeconds: Double = StdioLoop.graceSeconds, lastSeconds: Double = StdioLoop.lastSeconds,
    makeSession: (_ wake: @escaping @Sendable () -> Void) -> Session
  ) {
    self.input = ByteChannel(input, for: O_RDONLY)
    self.output = ByteChannel(output, for: O_WRONLY)
    self.signals = signals
    self.graceSeconds = graceSeconds
    self.lastSeconds = lastSeconds
    session = makeSession { [wakeUp] in wakeUp.signal() }
    session.allowWatching()
  }

  /// The exit code: 0; 75 if work was cut off after the grace time; 74 if output could not be written; 128 plus the
  /// signal's number after a second signal.
  package func run() -> Int32 {
    while !isOver {
      let ready = waitForEvents()
      if ready.signal { handleSignal() }
      if ready.wakeUp { resumeSession() }
      if ready.input { readOnce() }
      if ready.hostEnded && !ready.input && !input.isReadable { session.endOfInput() }
      flush()
      if !session.inputIsOpen { cutOffWhenDue() }
    }
    return exitCode
  }

  private var isOver: Bool { signalCount > 1 || session.isFinished && !session.hasOutput }
}

// MARK: - Events

extension StdioLoop {
  private struct Ready {
    var input = false
    var wakeUp = false
    var signal = false
    /// The host's process is dead and reading is not paused: what it wrote before comes first.
    var hostEnded = false
  }

  private func waitForEvents() -> Ready {
    var entries = [
      pollfd(fd: signals?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: session.wantsInput ? input.descriptor : -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: session.hasOutput ? output.descriptor : -1, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: session.wantsInput ? host?.descriptor ?? -1 : -1, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&entries, nfds_t(entries.count), timeoutMilliseconds) > 0 else { return Ready() }
    return Ready(
      input: entries[2].revents != 0, wakeUp: entries[1].revents != 0, signal: entries[0].revents != 0,
      hostEnded: entries[4].revents != 0)
  }

  private var timeoutMilliseconds: Int32 {
    guard deadline < .infinity else { return -1 }
    return Int32(max(0, min(60_000, (deadline - monotonicSeconds()) * 1000 + 1)))
  }

  private func resumeSession() {
    wakeUp.clear()
    session.run()
    if let process = session.watchedProcess, host?.process != process { host = ProcessDescriptor(process) }
  }

  /// The first signal is treated like the end of input.
  private func handleSignal() {
    guard let number = signals?.take() else { return }
    signalCount += 1
    if signalCount > 1 { exitCode = 128 + number } else { session.endOfInput() }
  }
}

// MARK: - Input and output

extension StdioLoop {
  /// The capacity of a pipe.
  private static let readBytes = 1 << 16

  private func readOnce() {
    var outcome = ByteChannel.Outcome.wouldBlock
    session.receive(upTo: Self.readBytes) { buffer in
      outcome = input.read(into: buffer)
      return if case .bytes(let count) = outcome { count } else { 0 }
    }
    switch outcome {
    case .bytes, .wouldBlock: break
    case .closed, .failed: session.endOfInput()
    }
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

  /// Nobody reads the output any longer: unfinished work continues, and its replies are dropped.
  private func abandonOutput(exitCode: Int32) {
    self.exitCode = exitCode
    session.endOfInput()
    session.discardOutput()
  }

  /// The grace time starts at the end of input.
  private func cutOffWhenDue() {
    let now = monotonicSeconds()
    if deadline == .infinity { deadline = now + graceSeconds }
    guard now >= deadline, !isOver else { return }
    exitCode = 75
    session.abandon()
    flush()
    while session.hasOutput, signalCount < 2, monotonicSeconds() < now + lastSeconds,
      output.isWritable(withinMilliseconds: Self.patienceMilliseconds)
    {
      handleSignal()
      flush()
    }
    session.discardOutput()
  }

  /// The last replies are sent as long as the host reads some of them within this time.
  private static let patienceMilliseconds: Int32 = 1000
}
