import Glibc

/// A failure of the command itself, reported as one line on stderr.
package struct CommandFailure: Error {
  package let exitCode: Int32
  package let message: String

  package init(exitCode: Int32, message: String) { (self.exitCode, self.message) = (exitCode, message) }

  /// The options or files cannot be used.
  package static func configuration(_ message: String) -> CommandFailure {
    CommandFailure(exitCode: EX_CONFIG, message: message)
  }

  /// Runs a command and returns its exit code. Reports a failure as one line on stderr.
  package static func exitCode(of program: String, _ body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch let failure as CommandFailure {
      printError("\(program): \(failure.message)")
      return failure.exitCode
    } catch is OutputClosed {
      return EX_IOERR
    } catch {
      printError("\(program): \(error)")
      return EXIT_FAILURE
    }
  }
}

/// The program that reads standard output has ended, as `head` does when it has enough. Not an error worth a message.
package struct OutputClosed: Error {
  package init() {}
}

/// Writes one line to stderr, in a single write.
package func printError(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Writes the whole text to stdout.
package func printResult(_ text: String) throws { try printResult(Array(text.utf8)) }

/// Writes all bytes to stdout.
package func printResult(_ bytes: [UInt8]) throws {
  do throws(SystemError) {
    try WholeBytes.write(bytes, to: STDOUT_FILENO)
  } catch {
    if error.number == EPIPE { throw OutputClosed() }
    throw CommandFailure(exitCode: EX_IOERR, message: "cannot write to standard output: \(error.text)")
  }
}

/// The value of an environment variable; `nil` if it is not set or empty.
package func environment(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}
