import CGlibc
import Cryptography
import Glibc
import Model
import Support

/// A program whose output is the root secret.
struct KeyCommand: Sendable {
  static let minimum = 32
  private static let maximum = 4096
  /// Long enough to touch a hardware key or type a PIN.
  private static let patience = Duration.seconds(60)

  let words: [String]

  /// The program gets an empty standard input and our standard error. Throws 6003 if it does not produce a secret.
  func run() throws(MAMError) -> SecretBytes {
    var ends: [Int32] = [-1, -1]
    guard !words.isEmpty, pipe2(&ends, O_CLOEXEC) == 0 else { throw cannotStart(words.isEmpty ? EINVAL : errno) }
    let child = start(output: ends[1])
    close(ends[1])
    defer { close(ends[0]) }
    let program = ChildProgram(identifier: try child.get(), deadline: .now + Self.patience)
    defer { program.stop() }
    let secret = try secret(from: ends[0], of: program)
    try checkEnd(of: program)
    // Check the length last: a failed program explains a short secret.
    guard secret.count >= Self.minimum else { throw failure("wrote fewer than \(Self.minimum) bytes") }
    return secret
  }

  private func start(output: Int32) -> Result<pid_t, MAMError> {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
    var attributes = cleanSignals()
    defer { posix_spawnattr_destroy(&attributes) }
    var identifier = pid_t()
    let code = words.withCStrings { posix_spawnp(&identifier, words[0], &actions, &attributes, $0, environ) }
    return code == 0 ? .success(identifier) : .failure(cannotStart(code))
  }

  /// The child handles signals like any program, whatever this process does with them.
  private func cleanSignals() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGXFSZ] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return attributes
  }

  private func secret(from output: Int32, of program: ChildProgram) throws(MAMError) -> SecretBytes {
    var outcome = ChildProgram.Output.late
    let secret = try MAMError.keys { () throws(CryptographyError) in
      try SecretBytes(capacity: Self.maximum + 1) { target throws(CryptographyError) in
        outcome = program.read(output, into: target)
        guard case .whole(let count) = outcome else { return 0 }
        return count > 0 && target[count - 1] == UInt8(ascii: "\n") ? count - 1 : count
      }
    }
    switch outcome {
    case .whole: return secret
    case .late: throw tooSlow
    case .tooLong: throw failure("wrote more than \(Self.maximum) bytes")
    }
  }

  private func checkEnd(of program: ChildProgram) throws(MAMError) {
    guard let status = program.waitForEnd() else { throw tooSlow }
    guard status == 0 else {
      throw failure(status & 0x7F == 0 ? "ended with status \(status >> 8)" : "was ended by signal \(status & 0x7F)")
    }
  }

  private var tooSlow: MAMError { failure("did not end within \(Self.patience.components.seconds) s") }

  /// The system also reports a missing file if the interpreter in the first line of a script is missing.
  private func cannotStart(_ number: Int32) -> MAMError {
    let isThere = number == ENOENT && words.first.map { $0.contains("/") && access($0, F_OK) == 0 } ?? false
    let reason = isThere ? "the interpreter that it names does not exist" : SystemError(number: number).text
    return failure("could not be started: \(reason)")
  }

  private func failure(_ what: String) -> MAMError {
    MAMError(
      .noSecret, "the key command \(what)",
      hint: "Run the command yourself: it must write at least \(Self.minimum) bytes and exit with status 0",
      path: words.first)
  }
}

/// A running program with a time limit: its deadline, or the end of the call that needs it.
struct ChildProgram {
  enum Output { case whole(Int), tooLong, late }

  let identifier: pid_t
  let deadline: ContinuousClock.Instant

  /// Reads its whole output, until it closes the pipe.
  func read(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer) -> Output {
    var count = 0
    while count < target.count {
      guard isReady(descriptor) else { return .late }
      let result = Glibc.read(descriptor, target.baseAddress.map { $0 + count }, target.count - count)
      if result < 0 && errno == EINTR { continue }
      guard result > 0 else { return .whole(count) }
      count += result
    }
    return .tooLong
  }

  /// Its status as returned by `waitpid`; `nil` if it does not end in time.
  func waitForEnd() -> Int32? {
    let handle = cglibc_pidfd_open(identifier)
    defer { if handle >= 0 { close(handle) } }
    guard handle < 0 || isReady(handle) else { return nil }
    var status: Int32 = 0
    while true {
      let found = waitpid(identifier, &status, WNOHANG)
      if found == identifier { return status }
      // Poll on systems without process descriptors.
      guard found == 0 || errno == EINTR, isInTime else { return nil }
      wait { OutsideWait.sleep(Self.slice) }
    }
  }

  /// Kills the program if it is still running. Gives up after a second, for example if it hangs in a driver.
  func stop() {
    guard waitpid(identifier, nil, WNOHANG) == 0 else { return }
    kill(identifier, SIGKILL)
    for _ in 0..<200 {
      guard waitpid(identifier, nil, WNOHANG) == 0 else { return }
      OutsideWait.sleep(.milliseconds(5))
    }
  }

  /// How soon an abandoned call is noticed.
  private static let slice = Duration.milliseconds(20)

  private var isInTime: Bool { deadline > .now && CommitPoint.current?.state != .abandoned }

  private func isReady(_ descriptor: Int32) -> Bool {
    var count: Int32 = 0
    while count == 0 || count < 0 && errno == EINTR {
      guard isInTime else { return false }
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      wait { count = poll(&polled, 1, 20) }
    }
    return count > 0
  }

  /// Waits without occupying a thread that others need.
  private func wait(_ body: () -> Void) {
    if !BlockingExecutor.shared.replacingThread(body) { body() }
  }
}

extension [String] {
  /// Converts to the argument list of a program: ends with `nil`, and is valid only inside `body`.
  func withCStrings<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    let copies = map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
  }
}
