import Glibc

/// Locks on whole files and folders, which the kernel releases when the holder dies. A stopped process keeps its locks, so
/// nothing waits for one inside the kernel.
package enum Flock {
  package enum Outcome: Equatable, Sendable {
    case taken
    /// By others; `LockHolder` describes them.
    case held
    case failed(SystemError)
  }

  package enum Use: Sendable {
    case changing
    /// Excludes only those who change.
    case reading
  }

  /// While others hold the lock, tries again for as long as `pause` returns true.
  package static func take(_ descriptor: Int32, for use: Use = .changing, pause: () -> Bool = { false }) -> Outcome {
    while true {
      let outcome = takeNow(descriptor, use)
      guard outcome == .held, pause() else { return outcome }
    }
  }

  /// Takes the lock in a task, which needs no thread while it waits.
  package static func take(_ descriptor: Int32, pause: () async -> Bool) async -> Outcome {
    while true {
      let outcome = takeNow(descriptor, .changing)
      guard outcome == .held, await pause() else { return outcome }
    }
  }

  package static func release(_ descriptor: Int32) { flock(descriptor, LOCK_UN) }

  private static func takeNow(_ descriptor: Int32, _ use: Use) -> Outcome {
    while flock(descriptor, (use == .changing ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return .held }
      if errno != EINTR { return .failed(.current) }
    }
    return .taken
  }
}
