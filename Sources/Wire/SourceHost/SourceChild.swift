import CGlibc
import Glibc
import Support

/// A running program with pipes to its standard streams. Nothing of it is left when it has ended: it runs in a process
/// group of its own, and the programs that it starts end with it.
final class SourceChild {
  /// Our ends of the pipes.
  private(set) var input: Int32
  let output: Int32
  let errors: Int32
  /// Polls as readable once the program has ended; -1 if the kernel cannot provide it.
  let handle: Int32
  private let identifier: pid_t

  /// How long the program may take to end by itself after its input is closed, and then after SIGTERM.
  static let patience = (end: Duration.seconds(2), termination: Duration.seconds(3))

  struct CannotStart: Error {
    let error: SystemError
  }

  /// Starts the program without a shell. Its first word is looked up in PATH unless it has a slash.
  init(_ words: [String]) throws(CannotStart) {
    var (input, output, errors): ([Int32], [Int32], [Int32]) = ([-1, -1], [-1, -1], [-1, -1])
    let isOpen =
      pipe2(&input, O_CLOEXEC) == 0 && pipe2(&output, O_CLOEXEC) == 0 && pipe2(&errors, O_CLOEXEC) == 0
    let openError = errno
    defer { for end in [input[0], output[1], errors[1]] where end >= 0 { close(end) } }
    var identifier = pid_t()
    let code = isOpen ? Self.start(words, (input[0], output[1], errors[1]), &identifier) : openError
    guard code == 0 else {
      for end in [input[1], output[0], errors[0]] where end >= 0 { close(end) }
      throw CannotStart(error: SystemError(number: code))
    }
    (self.input, self.output, self.errors, self.identifier) = (input[1], output[0], errors[0], identifier)
    for end in [input[1], output[0], errors[0]] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    handle = cglibc_pidfd_open(identifier)
  }

  deinit {
    for end in [input, output, errors, handle] where end >= 0 { close(end) }
  }

  /// Tells the program that nothing more comes, which asks it to end.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// Waits for the end of the program, and kills it if it does not end by itself. Returns how it ended, as a predicate.
  func end(after patience: (end: Duration, termination: Duration) = SourceChild.patience) -> String {
    closeInput()
    if !hasEnded(within: patience.end) {
      kill(-identifier, SIGTERM)
      if !hasEnded(within: patience.termination) { kill(-identifier, SIGKILL) }
    }
    let hasEnded = hasEnded(within: .seconds(1))
    // What the program has started may still run. Until the program is waited for, no other group gets its number.
    kill(-identifier, SIGKILL)
    var status: Int32 = 0
    guard hasEnded, waitpid(identifier, &status, 0) == identifier else { return "does not end" }
    let signal = status & 0x7F
    return signal == 0 ? "ended with status \(status >> 8)" : "was ended by signal \(signal)"
  }

  /// Leaves the ended program to be waited for.
  private func hasEnded(within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
      var end = siginfo_t()
      if waitid(P_PID, id_t(identifier), &end, WEXITED | WNOHANG | WNOWAIT) == 0, end.si_signo != 0 { return true }
      let rest = ContinuousClock.now.duration(to: deadline)
      guard rest > .zero else { return false }
      var entry = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
      // Without a handle, look again from time to time.
      let slice: Int64 = handle >= 0 ? 1000 : 20
      poll(&entry, 1, Int32(min(slice, rest.components.seconds * 1000 + 1)))
    }
  }

  private static func start(
    _ words: [String], _ streams: (input: Int32, output: Int32, errors: Int32), _ identifier: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, streams.input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, streams.output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, streams.errors, STDERR_FILENO)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var attributes = SpawnAttributes.usualSignals(leadingGroup: true)
    defer { posix_spawnattr_destroy(&attributes) }
    let arguments = words.map { strdup($0) }
    defer { arguments.forEach { free($0) } }
    return posix_spawnp(&identifier, words.first ?? "", &actions, &attributes, arguments + [nil], environ)
  }
}
