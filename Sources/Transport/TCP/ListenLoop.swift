import Glibc

/// Keeps a listener going until a signal, then lets its connections end.
package struct ListenLoop {
  private let listener: TCPListener
  private let signals: TerminationSignals
  private let graceSeconds: Double

  package init(listener: TCPListener, signals: TerminationSignals, graceSeconds: Double = StdioLoop.graceSeconds) {
    self.listener = listener
    self.signals = signals
    self.graceSeconds = graceSeconds
  }

  /// The exit code: 0; 75 when work was cut off after the grace time; 128 plus the signal for a second signal.
  package func run() -> Int32 {
    while signals.take() == nil { wait(milliseconds: -1) }
    listener.endOfInput()
    if let second = waitForConnections(seconds: graceSeconds) { return 128 + second }
    guard listener.hasConnections else { return 0 }
    listener.abandon()
    _ = waitForConnections(seconds: Self.patienceSeconds)
    return 75
  }

  /// For the last replies to go out.
  private static let patienceSeconds: Double = 2

  /// Until none is left, the time is over, or a signal comes, which is returned.
  private func waitForConnections(seconds: Double) -> Int32? {
    let deadline = monotonicSeconds() + seconds
    while listener.hasConnections {
      let left = deadline - monotonicSeconds()
      guard left > 0 else { return nil }
      wait(milliseconds: Int32(min(60_000, left * 1000 + 1)))
      if let number = signals.take() { return number }
    }
    return nil
  }

  /// For a signal or the end of a connection.
  private func wait(milliseconds: Int32) {
    var entries = [
      pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: listener.departures.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    if poll(&entries, nfds_t(entries.count), milliseconds) > 0, entries[1].revents != 0 {
      listener.departures.clear()
    }
  }
}
