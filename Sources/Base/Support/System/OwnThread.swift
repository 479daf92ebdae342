import Glibc

/// A thread that ends with its body.
package enum OwnThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Returns the system's reason if it starts no thread. Without `takingSignals`, signals that ask the process to end go to
  /// other threads; otherwise the thread takes those that the calling thread takes.
  package static func start(
    takingSignals: Bool = true, _ body: @escaping @Sendable () -> Void
  ) -> SystemError? {
    let context = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let code =
      takingSignals
      ? pthread_create(&thread, nil, ownThreadMain, context.toOpaque())
      : withEndingSignalsBlocked { pthread_create(&thread, nil, ownThreadMain, context.toOpaque()) }
    guard code == 0 else {
      context.release()
      return SystemError(number: code)
    }
    pthread_detach(thread)
    return nil
  }

  /// Blocks SIGTERM, SIGINT and SIGHUP on the calling thread meanwhile: a new thread inherits that.
  private static func withEndingSignalsBlocked(_ body: () -> Int32) -> Int32 {
    var (ending, former) = (sigset_t(), sigset_t())
    sigemptyset(&ending)
    for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&ending, signal) }
    pthread_sigmask(SIG_BLOCK, &ending, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    return body()
  }

  fileprivate static func run(_ context: UnsafeMutableRawPointer) {
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
  }

  /// On this thread, writing to a broken pipe is from now on only an error.
  package static func ignoreBrokenPipes() {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }
}

/// A function and not a closure: a closure in a main program belongs to the main thread, and traps on another one.
private func ownThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { CrashTrace.covering { OwnThread.run(context) } }
  return nil
}
