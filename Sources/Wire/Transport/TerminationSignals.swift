import CGlibc
import Glibc
import Support

/// SIGTERM, SIGINT and SIGHUP as a descriptor. SIGHUP stays ignored if it was ignored at the start, as by nohup. Must
/// be created before any thread, so that all threads inherit the mask.
package final class TerminationSignals: Sendable {
  package let descriptor: Int32
  private let wasRequested = Lock(false)

  /// Also ignores SIGPIPE, so that a broken pipe is a failed write and not a crash, and opens closed standard
  /// descriptors.
  package init() {
    openMissingStandardDescriptors()
    signal(SIGPIPE, SIG_IGN)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGINT)
    if !isIgnored(SIGHUP) { sigaddset(&set, SIGHUP) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    descriptor = signalfd(-1, &set, Int32(SFD_NONBLOCK) | Int32(SFD_CLOEXEC))
  }

  deinit {
    close(descriptor)
  }

  /// Acts as the first signal; calling it again changes nothing. Safe to call from any thread.
  package func request() {
    let isFirst = wasRequested.withLock { wasRequested in
      defer { wasRequested = true }
      return !wasRequested
    }
    if isFirst { kill(getpid(), SIGTERM) }
  }

  /// The number of an arrived signal; `nil` if there is none.
  package func take() -> Int32? {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    guard read(descriptor, &info, size) == size else { return nil }
    return Int32(info.ssi_signo)
  }
}

private func isIgnored(_ number: Int32) -> Bool {
  var action = sigaction()
  guard sigaction(number, nil, &action) == 0 else { return false }
  // Functions cannot be compared, so compare the addresses.
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
}
