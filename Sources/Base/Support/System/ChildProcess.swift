import CGlibc
import Glibc

/// A program that this process has started, without a shell. Nobody else may wait for it.
package final class ChildProcess: Sendable {
  /// What the program has as a standard stream.
  package enum Stream: Sendable {
    case nothing
    case own
    case descriptor(Int32)
  }

  package enum Ending: Sendable {
    /// As `waitpid` returns it.
    case status(Int32)
    /// The system has forgotten it, as it does where SIGCHLD is ignored.
    case unknown

    package var isSuccess: Bool { if case .status(0) = self { true } else { false } }

    /// A predicate, for example "ended with status 1".
    package var text: String {
      switch self {
      case .status(let status) where status & 0x7F == 0: "ended with status \(status >> 8)"
      case .status(let status): "was ended by signal \(status & 0x7F)"
      case .unknown: "ended with a status that the system did not keep"
      }
    }
  }

  private let identifier: pid_t
  /// `nil` until the program has been reaped. Held while it is reaped and signalled, so that no signal comes after.
  private let ending = Lock<Ending?>(nil)

  private init(_ identifier: pid_t) { self.identifier = identifier }

  /// The first word is looked up in PATH unless it has a slash. The program handles signals like any program, whatever
  /// this process does with them, and gets no other open files. If it leads a group, `signalGroup` also reaches the
  /// programs that it starts. `environment` has entries such as `NAME=VALUE`; `nil` for that of this process.
  package static func start(
    _ words: [String], input: Stream = .nothing, output: Stream, errors: Stream = .own, leadsGroup: Bool = false,
    environment: [String]? = nil
  ) -> Result<ChildProcess, SystemError> {
    guard let name = words.first else { return .failure(SystemError(number: EINVAL)) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (stream, number) in [(input, STDIN_FILENO), (output, STDOUT_FILENO), (errors, STDERR_FILENO)] {
      switch stream {
      case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      case .own: break
      case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      }
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var attributes = attributes(leadsGroup: leadsGroup)
    defer { posix_spawnattr_destroy(&attributes) }
    var identifier = pid_t()
    let code = words.withCStrings { arguments in
      guard let environment else {
        return posix_spawnp(&identifier, name, &actions, &attributes, arguments, environ)
      }
      return environment.withCStrings { posix_spawnp(&identifier, name, &actions, &attributes, arguments, $0) }
    }
    return code == 0 ? .success(ChildProcess(identifier)) : .failure(SystemError(number: code))
  }

  private static func attributes(leadsGroup: Bool) -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // Whatever this process ignores, or has inherited as ignored.
    sigfillset(&signals)
    for number in [SIGKILL, SIGSTOP] { sigdelset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    let group = leadsGroup ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))
    return attributes
  }

  /// A descriptor that polls as readable once the program has ended, to be closed by the caller; -1 if the kernel cannot
  /// provide one.
  package func openHandle() -> Int32 { cglibc_pidfd_open(identifier) }

  /// Whether it has ended. It still has to be reaped.
  package var hasEnded: Bool { ending.withLock { $0 != nil || (status { $0.si_signo != 0 } ?? true) } }

  /// Returns how it ended, and lets the system forget it; `nil` while it runs.
  package func reap() -> Ending? {
    ending.withLock { ending in
      ending = ending ?? ended()
      return ending
    }
  }

  private func ended() -> Ending? {
    var status: Int32 = 0
    while true {
      let found = waitpid(identifier, &status, WNOHANG)
      if found == identifier { return .status(status) }
      if found == 0 { return nil }
      if errno != EINTR { return .unknown }
    }
  }

  package func signal(_ number: Int32) { signal(number, to: identifier) }

  /// For a program that leads its group, even if it has ended itself.
  package func signalGroup(_ number: Int32) { signal(number, to: -identifier) }

  /// Not after the system has forgotten the program: then its number may be that of another.
  private func signal(_ number: Int32, to receiver: pid_t) {
    ending.withLock { ending in
      guard ending == nil, status({ _ in true }) != nil else { return }
      kill(receiver, number)
    }
  }

  /// Reads the program's status without reaping it; `nil` if the system has forgotten the program.
  private func status<Value>(_ read: (siginfo_t) -> Value) -> Value? {
    var end = siginfo_t()
    while waitid(P_PID, id_t(identifier), &end, WEXITED | WNOHANG | WNOWAIT) != 0 {
      if errno != EINTR { return nil }
    }
    return read(end)
  }
}

extension [String] {
  /// As the argument list or the environment of a program: ends with `nil`, and is valid only inside `body`.
  fileprivate func withCStrings<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    let copies = map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
  }
}
