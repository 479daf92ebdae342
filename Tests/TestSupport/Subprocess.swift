import Glibc
import Support

/// A program that runs beside the test, with pipes for its three streams. Killed when its owner is gone.
package final class Subprocess {
  /// What a program left behind.
  package struct Outcome: Equatable, Sendable {
    /// The exit code; below 0 the signal that ended it.
    package var status: Int32
    package var output: String
    package var errors: String

    package init(status: Int32, output: String, errors: String) {
      self.status = status
      self.output = output
      self.errors = errors
    }
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let identifier: pid_t
  private var input: Int32
  private let output: Int32
  private let errors: Int32
  private var outputText: [UInt8] = []
  private var errorText: [UInt8] = []
  private var hasEnded = false
  /// How long any wait may last.
  private let timeout: Int32 = 30_000

  /// Starts the program with these arguments; `environment` is added to the test's own.
  package init(_ path: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    signal(SIGPIPE, SIG_IGN)
    let streams = try Self.spawning.withLock { _ in try Self.makePipes() }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, streams[0].read, 0)
    posix_spawn_file_actions_adddup2(&actions, streams[1].write, 1)
    posix_spawn_file_actions_adddup2(&actions, streams[2].write, 2)
    // The program would block the signals that this thread blocks, often nearly all.
    var (attributes, blocked) = (posix_spawnattr_t(), sigset_t())
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setsigmask(&attributes, &blocked)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

    var process = pid_t()
    let code = Self.spawning.withLock { _ in
      Self.withCStrings([path] + arguments) { arguments in
        Self.withCStrings(Self.merged(environment)) {
          posix_spawn(&process, path, &actions, &attributes, arguments, $0)
        }
      }
    }
    for descriptor in [streams[0].read, streams[1].write, streams[2].write] { close(descriptor) }
    (input, output, errors) = (streams[0].write, streams[1].read, streams[2].read)
    identifier = process
    guard code == 0 else {
      hasEnded = true
      throw Failure(description: "cannot start \(path): \(String(cString: strerror(code)))")
    }
  }

  deinit {
    closeInput()
    if !hasEnded {
      kill(identifier, SIGKILL)
      waitpid(identifier, nil, 0)
    }
    close(output)
    close(errors)
  }

  /// The outcome of a program that is given its whole input at once.
  package static func run(
    _ path: String, _ arguments: [String] = [], input: String = "", environment: [String: String] = [:]
  ) throws -> Outcome {
    let process = try Subprocess(path, arguments, environment: environment)
    process.write(input)
    process.closeInput()
    return try process.wait()
  }
}

// MARK: - Talking

extension Subprocess {
  /// Waits while the program does not read.
  package func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  package func send(signal number: Int32) { kill(identifier, number) }

  /// The most memory that it has held so far, in bytes; 0 when it has ended.
  package var peakMemory: Int {
    let status = String(decoding: readFile("/proc/\(identifier)/status") ?? [], as: UTF8.self)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 } ?? 0
  }

  /// Looks without waiting, and leaves its end for `wait`.
  package var isRunning: Bool {
    var info = siginfo_t()
    let found = waitid(P_PID, id_t(identifier), &info, WEXITED | WNOHANG | WNOWAIT)
    return found == 0 && info.si_signo == 0
  }

  /// The next line of its standard output.
  package func readLine() throws -> String {
    try nextLine(\.outputText, "a line on standard output")
  }

  /// The next line of its standard error.
  package func readErrorLine() throws -> String {
    try nextLine(\.errorText, "a line on standard error")
  }

  private func nextLine(
    _ text: ReferenceWritableKeyPath<Subprocess, [UInt8]>, _ what: String
  ) throws -> String {
    var isOpen = true
    while true {
      if let line = Self.takeLine(&self[keyPath: text]) { return line }
      guard isOpen else { throw ended(before: what) }
      isOpen = try pump()
    }
  }

  /// Reads until the program has ended.
  package func wait() throws -> Outcome {
    while try pump() {}
    var status: Int32 = 0
    waitpid(identifier, &status, 0)
    hasEnded = true
    let signal = status & 0x7F
    expectDeclaredErrors(outputText + errorText)
    return Outcome(
      status: signal == 0 ? status >> 8 & 0xFF : -signal, output: String(decoding: outputText, as: UTF8.self),
      errors: String(decoding: errorText, as: UTF8.self))
  }

  private func ended(before what: String) -> Failure {
    Failure(description: "ended before \(what); standard error: \(String(decoding: errorText, as: UTF8.self))")
  }

  /// Takes what there is on both streams; false when both have ended.
  private func pump() throws -> Bool {
    var polled = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let ready = poll(&polled, 2, timeout)
    guard ready >= 0 || errno == EINTR else { throw Failure(description: "poll failed") }
    guard ready != 0 else { throw Failure(description: "nothing came for \(timeout) ms") }
    let isOutputOpen = polled[0].revents == 0 || Self.read(output, into: &outputText)
    let isErrorOpen = polled[1].revents == 0 || Self.read(errors, into: &errorText)
    return try isOutputOpen && isErrorOpen || drain(isOutputOpen, isErrorOpen)
  }

  /// One stream has ended; the other is read to its end.
  private func drain(_ isOutputOpen: Bool, _ isErrorOpen: Bool) throws -> Bool {
    let rest = isOutputOpen ? output : isErrorOpen ? errors : -1
    while rest >= 0 {
      var polled = pollfd(fd: rest, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, timeout) > 0 else { throw Failure(description: "nothing came for \(timeout) ms") }
      guard rest == output ? Self.read(rest, into: &outputText) : Self.read(rest, into: &errorText) else { break }
    }
    return false
  }
}

// MARK: - System calls

extension Subprocess {
  /// Held while pipes are made and while children start, so that no child gets an end of another's.
  static let spawning = Lock(false)

  /// Three pipes whose ends no child inherits by itself.
  private static func makePipes() throws -> [(read: Int32, write: Int32)] {
    try (0..<3).map { _ in
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw Failure(description: "pipe failed") }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ends[0], ends[1])
    }
  }

  /// False at the end of the stream.
  private static func read(_ descriptor: Int32, into text: inout [UInt8]) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(descriptor, &chunk, chunk.count)
    if count < 0 { return errno == EINTR }
    text += chunk[..<count]
    return count > 0
  }

  private static func takeLine(_ text: inout [UInt8]) -> String? {
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { text.removeSubrange(...end) }
    expectDeclaredErrors(Array(text[..<end]))
    return String(decoding: text[..<end], as: UTF8.self)
  }

  static func merged(_ environment: [String: String]) -> [String] {
    var own: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let line = String(cString: text)
      if environment[String(line.prefix { $0 != "=" })] == nil { own.append(line) }
      entry += 1
    }
    return own + environment.map { "\($0.key)=\($0.value)" }
  }

  /// The strings as an array that ends with nil.
  static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
  }
}
