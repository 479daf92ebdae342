import ArgumentParser
import Glibc

/// An error of the command itself, told on stderr as one line.
struct CommandFailure: Error, CustomStringConvertible {
  let exitCode: Int32
  let message: String

  var description: String { message }
}

/// Runs a command's body; a failure is one line on stderr and its exit code.
func reportingFailure(_ body: () throws -> Int32) throws -> Never {
  do {
    throw ExitCode(try body())
  } catch let failure as CommandFailure {
    printError("mambridge: \(failure.message)")
    throw ExitCode(failure.exitCode)
  }
}

/// One line on standard error, in one write.
func printError(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}
