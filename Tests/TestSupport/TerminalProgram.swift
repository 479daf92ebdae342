import CGlibc
import Glibc
import Support

/// A program on a terminal of its own, as a person sees it: output and errors are on one screen, and Ctrl-C is a key.
/// Killed when its owner is gone.
package final class TerminalProgram {
  /// Environment variables that say how a terminal looks; a test sets those that it needs.
  private static let appearance = ["TERM": "xterm", "NO_COLOR": "", "COLUMNS": "", "LINES": ""]
  private static let timeout: Int32 = 30_000
  /// TIOCSPTLCK and TIOCGPTN of <asm/ioctls.h>, which Swift does not import.
  private static let (setLock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)

  package let identifier: pid_t
  private let keyboard: Int32
  private var bytes: [UInt8] = []
  private var hasEnded = false

  /// `output` is a file for standard output, which is otherwise on the screen, too.
  package init(
    _ path: String, _ arguments: [String] = [], columns: Int = 80, environment: [String: String] = [:],
    output: String? = nil
  ) throws {
    let (keyboard, screen) = try Self.makeTerminal(columns: columns)
    self.keyboard = keyboard
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens becomes the session's.
    posix_spawn_file_actions_addopen(&actions, 0, screen, O_RDWR, 0)
    if let output {
      posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    } else {
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
    }
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(CGLIBC_SPAWN_SETSID))

    var process = pid_t()
    let variables = Self.appearance.merging(environment) { $1 }
    let code = Subprocess.spawning.withLock { _ in
      Subprocess.withCStrings([path] + arguments) { arguments in
        Subprocess.withCStrings(Subprocess.merged(variables)) {
          posix_spawn(&process, path, &actions, &attributes, arguments, $0)
        }
      }
    }
    identifier = process
    guard code == 0 else {
      hasEnded = true
      throw Subprocess.Failure(description: "cannot start \(path): \(String(cString: strerror(code)))")
    }
  }

  deinit {
    if !hasEnded {
      kill(identifier, SIGKILL)
      waitpid(identifier, nil, 0)
    }
    close(keyboard)
  }

  /// The keyboard's end of a new terminal, and the path of the other end.
  private static func makeTerminal(columns: Int) throws -> (keyboard: Int32, screen: String) {
    let keyboard = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (isLocked, number) = (Int32(0), Int32(0))
    guard keyboard >= 0, ioctl(keyboard, Self.setLock, &isLocked) == 0,
      ioctl(keyboard, Self.getNumber, &number) == 0
    else { throw Subprocess.Failure(description: "no terminal: \(SystemError.current.text)") }
    var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(keyboard, UInt(TIOCSWINSZ), &size)
    return (keyboard, "/dev/pts/\(number)")
  }
}

extension TerminalProgram {
  /// What the program wrote, with escape sequences, and with the line ends of a file.
  package var text: String { String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n") }

  /// Presses keys.
  package func type(_ keys: String) {
    let keys = Array(keys.utf8)
    _ = Glibc.write(keyboard, keys, keys.count)
  }

  package func pressControlC() { type("\u{3}") }
  package func pressControlD() { type("\u{4}") }

  /// Waits until the program has written `text`.
  package func waitFor(_ text: String) throws {
    while !self.text.contains(text) {
      guard try pump() else { throw Subprocess.Failure(description: "ended before \"\(text)\": \(self.text)") }
    }
  }

  /// Waits until the program has ended. Returns its exit code, or a signal below 0, and what it wrote.
  package func wait() throws -> (status: Int32, text: String) {
    while try pump() {}
    var status: Int32 = 0
    waitpid(identifier, &status, 0)
    hasEnded = true
    let signal = status & 0x7F
    return (signal == 0 ? status >> 8 & 0xFF : -signal, text)
  }

  /// Takes what is on the screen; false once no program has the terminal open.
  private func pump() throws -> Bool {
    var polled = pollfd(fd: keyboard, events: Int16(POLLIN), revents: 0)
    let ready = poll(&polled, 1, Self.timeout)
    guard ready != 0 else { throw Subprocess.Failure(description: "nothing came in time after: \(text)") }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(keyboard, &piece, piece.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN }
    bytes += piece[..<count]
    return count > 0
  }

  /// The outcome of a program that reads nothing.
  package static func run(
    _ path: String, _ arguments: [String] = [], columns: Int = 80, environment: [String: String] = [:],
    output: String? = nil
  ) throws -> (status: Int32, text: String) {
    try TerminalProgram(path, arguments, columns: columns, environment: environment, output: output).wait()
  }
}

extension String {
  /// The text without colors and other escape sequences of ECMA-48.
  package var withoutEscapes: String {
    var (text, rest) = ("", self[...])
    while let start = rest.firstIndex(of: "\u{1B}") {
      text += rest[..<start]
      rest = rest[start...].dropFirst(2).drop { !$0.isLetter }.dropFirst()
    }
    return text + rest
  }
}

/// Programs that a test can do without.
package enum Tool {
  package static func isInstalled(_ path: String) -> Bool { access(path, X_OK) == 0 }
}
