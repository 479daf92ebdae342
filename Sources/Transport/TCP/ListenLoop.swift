import Glibc

/// Keeps a listener going until a signal, then lets its connections end.
package struct ListenLoop {
  private let listener: TCPListener
  private let signals: TerminationSignals

  package init(listener: TCPListener, signals: TerminationSignals) {
    self.listener = listener
    self.signals = signals
  }

  /// The exit code: 0; 75 when work was cut off after the grace time; 128 plus the signal for a second signal.
  package func run() -> Int32 {
    _ = waitForSignal(milliseconds: -1)
    listener.endOfInput()
    var left = Int32(StdioLoop.graceSeconds * 1000)
    while listener.hasConnections && left > 0 {
      if let second = waitForSignal(milliseconds: 20) { return 128 + second }
      left -= 20
    }
    guard listener.hasConnections else { return 0 }
    listener.abandon()
    usleep(200_000)
    return 75
  }

  private func waitForSignal(milliseconds: Int32) -> Int32? {
    var entry = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
    repeat {
      if poll(&entry, 1, milliseconds) > 0, let number = signals.take() { return number }
    } while milliseconds < 0
    return nil
  }
}
