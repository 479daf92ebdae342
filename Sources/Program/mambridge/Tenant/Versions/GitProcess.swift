import CGlibc
import Glibc
import Support

/// Why git gave no answer, as a predicate of git: "did not answer within 30 s".
struct GitFailure: Error {
  let text: String

  static let silent = GitFailure(text: "did not answer within \(GitProcess.patience / 1000) s")
}

/// A running git, with pipes to its standard streams. Killed when its owner is gone.
///
/// It reads objects and runs nothing that the repository names: no filters, hooks, textconv, pager or file system
/// monitor. Replacement refs do not count, and missing objects of a partial clone are not fetched. Variables of another
/// git, such as those of a hook, do not reach it, except for the objects of a push that is being checked.
final class GitProcess {
  /// How long git may stay silent, in milliseconds.
  static let patience: Int32 = 30_000

  private static let options = [
    "--no-pager", "--no-replace-objects", "--literal-pathspecs", "-c", "core.fsmonitor=", "-c", "protocol.allow=never",
  ]
  private static let variables = [
    "LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0",
  ]
  private static let chunk = 1 << 16
  /// In bytes.
  private static let longestText = 1 << 20

  private let process: ChildProcess
  private let (input, output, errors): (Int32, Int32, Int32)

  /// `folder` is in the repository, or is a bare one. `quarantine` is that of a push to it.
  init(_ words: [String], in folder: String, _ quarantine: GitQuarantine? = nil) throws(GitFailure) {
    var (input, output, errors): ([Int32], [Int32], [Int32]) = ([-1, -1], [-1, -1], [-1, -1])
    let isOpen = pipe2(&input, O_CLOEXEC) == 0 && pipe2(&output, O_CLOEXEC) == 0 && pipe2(&errors, O_CLOEXEC) == 0
    let openError = SystemError.current
    defer { for end in [input[0], output[1], errors[1]] where end >= 0 { close(end) } }
    let started =
      isOpen
      ? ChildProcess.start(
        ["git", "-C", folder] + Self.options + words, input: .descriptor(input[0]), output: .descriptor(output[1]),
        errors: .descriptor(errors[1]), environment: Self.environment + (quarantine?.variables ?? []))
      : .failure(openError)
    do throws(SystemError) {
      process = try started.get()
    } catch {
      for end in [input[1], output[0], errors[0]] where end >= 0 { close(end) }
      let isMissing = error.number == ENOENT
      throw GitFailure(
        text: isMissing ? "is not installed, or not in a folder of PATH" : "could not be started: \(error.text)")
    }
    (self.input, self.output, self.errors) = (input[1], output[0], errors[0])
  }

  deinit {
    for end in [input, output, errors] { close(end) }
    process.signal(SIGKILL)
    for _ in 0..<200 where process.reap() == nil { OutsideWait.sleep(.milliseconds(5)) }
  }

  /// The variables of this process without those of git, and with those that forbid what is not needed.
  private static var environment: [String] {
    var next = environ
    var entries: [String] = []
    while let entry = next.pointee {
      entries.append(String(cString: entry))
      next += 1
    }
    return entries.filter { !$0.hasPrefix("GIT_") && !$0.hasPrefix("LC_ALL=") } + variables
  }

  /// All that git printed, and its complaint on standard error; `nil` if it succeeded.
  static func run(
    _ words: [String], in folder: String, _ quarantine: GitQuarantine? = nil
  ) throws(GitFailure) -> (output: String, complaint: String?) {
    let git = try GitProcess(words, in: folder, quarantine)
    let output = try git.text(from: git.output)
    let errors = try git.text(from: git.errors)
    let ending = try git.ending()
    guard ending.isSuccess else {
      return (output, errors.isEmpty ? "git \(ending.text)" : errors)
    }
    return (output, nil)
  }

  private func text(from descriptor: Int32) throws(GitFailure) -> String {
    var bytes: [UInt8] = []
    while true {
      let count = bytes.count
      bytes += try read(atMost: Self.chunk, from: descriptor)
      guard bytes.count > count else { return String(decoding: bytes, as: UTF8.self) }
      guard bytes.count <= Self.longestText else {
        throw GitFailure(text: "printed more than \(Self.longestText >> 10) KiB")
      }
    }
  }

  private func ending() throws(GitFailure) -> ChildProcess.Ending {
    for _ in 0..<(Self.patience / 5) {
      if let ending = process.reap() { return ending }
      OutsideWait.sleep(.milliseconds(5))
    }
    throw .silent
  }

  /// The next bytes of its standard output; empty at the end.
  func read(atMost count: Int) throws(GitFailure) -> ArraySlice<UInt8> {
    try read(atMost: min(count, Self.chunk), from: output)
  }

  private func read(atMost count: Int, from descriptor: Int32) throws(GitFailure) -> ArraySlice<UInt8> {
    try wait(for: POLLIN, on: descriptor)
    var bytes = [UInt8](repeating: 0, count: count)
    let found = uninterrupted { Glibc.read(descriptor, &bytes, count) }
    guard found >= 0 else { throw GitFailure(text: "cannot be read: \(SystemError.current.text)") }
    return bytes[..<found]
  }

  /// Writes a short line to its standard input.
  func write(_ line: String) throws(GitFailure) {
    try wait(for: POLLOUT, on: input)
    let bytes = Array((line + "\n").utf8)
    guard Glibc.write(input, bytes, bytes.count) == bytes.count else {
      throw GitFailure(text: "ended, or takes no question: \(SystemError.current.text)")
    }
  }

  private func wait(for event: Int32, on descriptor: Int32) throws(GitFailure) {
    while true {
      var polled = pollfd(fd: descriptor, events: Int16(event), revents: 0)
      let count = poll(&polled, 1, Self.patience)
      if count > 0 { return }
      guard count < 0 && errno == EINTR else { throw .silent }
    }
  }
}
