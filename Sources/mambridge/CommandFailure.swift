import ArgumentParser
import Glibc
import Support

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

/// Text on standard output, to its last byte.
func printResult(_ text: String) throws { try printResult(Array(text.utf8)) }

/// Bytes on standard output, to the last one.
func printResult(_ bytes: [UInt8]) throws {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else {
      throw CommandFailure(exitCode: 74, message: "output could not be written: \(SystemError.current.text)")
    }
    rest = rest.dropFirst(count)
  }
}
