import Glibc
import Support
import Transport

/// Lets long work end in order when the user presses Ctrl-C, and when the process is asked to end.
///
/// The first SIGINT, SIGTERM or SIGHUP stops the work, which then removes its temporary files. A second one ends the
/// process at once, and so does a signal before the work is armed.
final class Interruption: Sendable {
  private let signals = TerminationSignals()
  private let received = Lock<Int32?>(nil)
  private let isArmed = Lock(false)
  private let wakeUp = EventDescriptor()
  private let stop: @Sendable () -> Void
  private let reportSlowness: @Sendable () -> Void
  /// How long the work may take to stop before that is reported, in milliseconds.
  private static let patience: Int32 = 500

  /// To be made before the process has other threads. Both closures are called at most once, on a thread of their own:
  /// `whenSlow` if the work takes long to stop.
  init(_ stop: @escaping @Sendable () -> Void, whenSlow: @escaping @Sendable () -> Void) {
    (self.stop, reportSlowness) = (stop, whenSlow)
    // If the system has no thread for it, signals are not noticed.
    _ = OwnThread.start { self.watch() }
  }

  /// 128 and the number of the signal; `nil` if none has come.
  var exitCode: Int32? { received.withLock { $0 }.map { 128 + $0 } }

  func arm() { isArmed.withLock { $0 = true } }

  /// Waits until `descriptor` can be read or has ended. Returns false if the work must stop.
  func canRead(_ descriptor: Int32) -> Bool {
    while true {
      var polled = [descriptor, wakeUp.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let count = poll(&polled, 2, -1)
      if polled[1].revents != 0 { return false }
      if count > 0 || count < 0 && errno != EINTR { return true }
    }
  }

  private func watch() {
    var patience: Int32 = -1
    while true {
      var polled = pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&polled, 1, patience)
      if count == 0 {
        patience = -1
        reportSlowness()
      }
      guard count > 0, let number = signals.take() else { continue }
      if exitCode != nil || !isArmed.withLock({ $0 }) { _exit(128 + number) }
      received.withLock { $0 = number }
      stop()
      wakeUp.signal()
      patience = Self.patience
    }
  }
}
