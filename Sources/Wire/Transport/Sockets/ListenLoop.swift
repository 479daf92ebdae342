import Glibc

/// Keeps listeners running until a signal, then lets their connections end.
package struct ListenLoop {
  private let listeners: [SocketListener]
  private let signals: TerminationSignals
  private let graceSeconds: Double

  package init(
    listeners: [SocketListener], signals: TerminationSignals, graceSeconds: Double = StdioLoop.graceSeconds
  ) {
    self.listeners = listeners
    self.signals = signals
    self.graceSeconds = graceSeconds
  }

  /// The exit code: 0; 75 if work was cut off after the grace time; 128 plus the signal's number after a second signal.
  package func run() -> Int32 {
    while signals.take() == nil { wait(milliseconds: -1) }
    for listener in listeners { listener.endOfInput() }
    if let second = waitForConnections(seconds: graceSeconds) { return 128 + second }
    guard hasConnections else { return 0 }
    for listener in listeners { listener.abandon() }
    _ = waitForConnections(seconds: Self.patienceSeconds)
    return 75
  }

  private var hasConnections: Bool { listeners.contains(where: \.hasConnections) }

  /// The time for the last replies to go out.
  private static let patienceSeconds: Double = 2

  /// Waits until no connection is left, the time is over, or a signal arrives, whose number is returned.
  private func waitForConnections(seconds: Double) -> Int32? {
    let deadline = monotonicSeconds() + seconds
    while hasConnections {
      let left = deadline - monotonicSeconds()
      guard left > 0 else { return nil }
      wait(milliseconds: Int32(min(60_000, left * 1000 + 1)))
      if let number = signals.take() { return number }
    }
    return nil
  }

  /// Waits for a signal or the end of a connection.
  private func wait(milliseconds: Int32) {
    let descriptors = [signals.descriptor] + listeners.map(\.departures.descriptor)
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
    for (entry, listener) in zip(entries.dropFirst(), listeners) where entry.revents != 0 {
      listener.departures.clear()
    }
  }
}
