import Glibc
import TestSupport

/// This test program started once more, to run one test alone in a process that may be killed.
final class ChildProcess {
  enum Role: String {
    /// Enrolls and unenrolls until it is killed.
    case loop
    /// Enrolls alice, and ends.
    case enroll
    /// Lets accounts check in when they are due, every few milliseconds, until it is killed.
    case checkIn
    /// Takes the turn to check in, and keeps it until it is killed.
    case holdTurn
    /// Wipes alice's data, and kills itself after the step that `detail` names.
    case wipeToStep
    /// Wipes alice's data, and ends.
    case wipe
    /// Tries the wrong PIN `detail` for alice until there are no tries left; reports each that was looked at.
    case tryPIN
    /// Meets a limit of file sizes, and ends.
    case fullDisk
    /// Changes its half of a file that another process changes too, and ends.
    case stripes
    /// Replaces a document, and kills itself after the step that `detail` names.
    case replaceToStep
    /// Encrypts and decrypts a document until it is killed.
    case replaceLoop
    /// Does the same by overwriting it where it lies, which may tear it.
    case overwriteLoop
    /// Encrypts a document beyond a limit of file sizes, and ends.
    case replaceOnFullDisk
    /// Lengthens an encrypted file beyond a limit of file sizes, and kills itself.
    case growOnFullDisk
    /// Changes the store, keys and a file until it is killed.
    case busy
  }

  /// Nil in the parent.
  static let role = getenv("MAMBRIDGE_TEST_CHILD").flatMap { Role(rawValue: String(cString: $0)) }
  /// Those of the parent's fixture.
  static let (state, tenant) = (folder("STATE"), folder("TENANT"))
  /// What the role needs to know besides.
  static let detail = folder("DETAIL")

  /// False where tests do not run as a program of their own, which reads its arguments as we write them.
  static let isPossible = program.hasSuffix(".xctest")

  private static let program = String(
    decoding: (readFile("/proc/self/cmdline") ?? []).prefix { $0 != 0 }, as: UTF8.self)
  private static let reportDescriptor: Int32 = 199
  private let process: pid_t
  private let reports: Int32

  /// Nil when the system gives no process.
  init?(_ role: Role, _ fixture: CoreFixture, detail: String = "") {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    let environment = [
      "MAMBRIDGE_TEST_CHILD=\(role.rawValue)", "MAMBRIDGE_TEST_STATE=\(fixture.state.root)",
      "MAMBRIDGE_TEST_TENANT=\(fixture.tenant.path)", "MAMBRIDGE_TEST_DETAIL=\(detail)",
    ]
    let arguments = [Self.program, "--testing-library", "swift-testing", "--filter", "Child[a-zA-Z]*Tests"]
    guard let process = spawn(Self.program, arguments, environment, [ends[1]: Self.reportDescriptor]) else {
      return nil
    }
    self.process = process
    reports = ends[0]
  }

  deinit { close(reports) }

  /// In the child: something is done.
  static func report() {
    _ = write(reportDescriptor, ".", 1)
  }

  /// In the parent: waits for one report; false at the end of the child.
  func waitForReport() -> Bool {
    var byte: UInt8 = 0
    return read(reports, &byte, 1) == 1
  }

  func send(signal: Int32) { Glibc.kill(process, signal) }

  func kill() {
    Glibc.kill(process, SIGKILL)
    _ = waitForEnd()
  }

  /// Whether it ended by itself and without a failure.
  func waitForEnd() -> Bool {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }

  private static func folder(_ name: String) -> String {
    getenv("MAMBRIDGE_TEST_\(name)").map { String(cString: $0) } ?? ""
  }
}

/// Adds to the environment; its standard output and error go nowhere.
private func spawn(
  _ program: String, _ arguments: [String], _ environment: [String], _ descriptors: [Int32: Int32]
) -> pid_t? {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
  for (from, to) in descriptors { posix_spawn_file_actions_adddup2(&actions, from, to) }
  var inherited = environ
  var variables = environment
  while let variable = inherited.pointee {
    variables.append(String(cString: variable))
    inherited += 1
  }
  var process: pid_t = 0
  let code = withCStrings(arguments) { arguments in
    withCStrings(variables) { posix_spawn(&process, program, &actions, nil, arguments, $0) }
  }
  return code == 0 ? process : nil
}

private func withCStrings<Result>(_ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
  let copies = texts.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
