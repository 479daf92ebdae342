import ArgumentParser
import Glibc
import Support

/// A failure of the command itself, reported as one line on stderr.
struct CommandFailure: Error {
  let exitCode: Int32
  let message: String
}

/// The program that reads standard output has ended, as `head` does when it has enough. Not an error worth a message.
struct OutputClosed: Error {}

/// Runs a command and returns its exit code. Reports a failure as one line on stderr.
func reportingFailure(_ body: () throws -> Int32) -> Int32 {
  do {
    return try body()
  } catch let failure as CommandFailure {
    printError("mambridge: \(failure.message)")
    return failure.exitCode
  } catch is OutputClosed {
    return EX_IOERR
  } catch {
    printError("mambridge: \(error)")
    return EXIT_FAILURE
  }
}

/// Writes one line to stderr, in a single write.
func printError(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Writes the whole text to stdout.
func printResult(_ text: String) throws { try printResult(Array(text.utf8)) }

/// Writes all bytes to stdout.
func printResult(_ bytes: [UInt8]) throws {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else {
      if errno == EPIPE { throw OutputClosed() }
      throw CommandFailure(exitCode: 74, message: "cannot write to standard output: \(SystemError.current.text)")
    }
    rest = rest.dropFirst(count)
  }
}
