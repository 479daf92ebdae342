import Glibc
import Support

/// The process group of a server on standard input. Ctrl-C and many service managers signal the whole group of a host.
/// Outside of it, the server goes on until the host, which may still have to save its last data, ends the input.
enum ProcessGroup {
  static let variable = "MAMBRIDGE_PROCESS_GROUP"
  static let own = "own"

  /// Leaves the group of the host if the variable asks for it and nothing needs the terminal: outside of the group in the
  /// foreground, a process that reads the terminal stops. Throws exit code 78 if the variable has another value.
  static func leaveIfAsked(_ arguments: CoreArguments) throws(CommandFailure) {
    guard let value = environment(variable) else { return }
    guard value == own else {
      throw .configuration(
        "\(variable) is \"\(value.shown)\". Set it to \"\(own)\", so that the server leaves the process group of its "
          + "host, or do not set it")
    }
    guard !needsTerminal(arguments) else { return }
    signal(SIGTTOU, SIG_IGN)  // A line on stderr must not stop it, either.
    setpgid(0, 0)  // It fails only if the process leads a session, and so its own group.
  }

  private static func needsTerminal(_ arguments: CoreArguments) -> Bool {
    let inputs = [STDIN_FILENO, arguments.secret.passphraseDescriptor ?? STDIN_FILENO]
    return inputs.contains { isatty($0) == 1 } || arguments.startsPrograms && hasTerminal
  }

  /// Whether a program that this process starts could ask on a terminal.
  private static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return false }
    close(terminal)
    return true
  }
}
