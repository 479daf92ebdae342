import ArgumentParser
import Glibc

/// An error of the command itself, told on stderr as one line.
struct CommandFailure: Error {
  let exitCode: Int32
  let message: String
}

/// The exit code of a command's body; a failure is one line on stderr.
func reportingFailure(_ body: () throws -> Int32) -> Int32 {
  do {
    return try body()
  } catch let failure as CommandFailure {
    printError("mambridge: \(failure.message)")
    return failure.exitCode
  } catch {
    printError("mambridge: \(error)")
    return EXIT_FAILURE
  }
}

/// One line on standard error, in one write.
func printError(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}
