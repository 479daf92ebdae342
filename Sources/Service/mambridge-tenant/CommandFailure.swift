import ArgumentParser
import Glibc
import Support

/// A failure of the command itself, reported as one line on stderr.
struct CommandFailure: Error {
  let exitCode: Int32
  let message: String

  /// The options or files cannot be used.
  static func configuration(_ message: String) -> CommandFailure {
    CommandFailure(exitCode: EX_CONFIG, message: message)
  }

  static let noNetwork = configuration(
    "this program was built without network code. Build it with: swift build --traits TenantService --product "
      + "mambridge-tenant")
}

/// The program that reads standard output has ended, as `head` does when it has enough.
struct OutputClosed: Error {}

/// Runs a command and ends with its exit code. Reports a failure as one line on stderr.
func reportingFailure(_ body: () throws -> Int32) throws -> Never {
  do {
    throw ExitCode(try body())
  } catch let failure as CommandFailure {
    printError("mambridge-tenant: \(failure.message)")
    throw ExitCode(failure.exitCode)
  } catch is OutputClosed {
    throw ExitCode(EX_IOERR)
  } catch let code as ExitCode {
    throw code
  } catch {
    printError("mambridge-tenant: \(error)")
    throw ExitCode(EXIT_FAILURE)
  }
}

/// Runs asynchronous work, and waits for it.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
  let outcome = Lock<Result<Value, any Error>?>(nil)
  let isDone = Semaphore()
  Task {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    outcome.withLock { $0 = result }
    isDone.signal()
  }
  isDone.wait()
  guard let result = outcome.withLock({ $0 }) else { throw CancellationError() }
  return try result.get()
}

/// Writes one line to stderr, in a single write.
func printError(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(STDERR_FILENO, bytes, bytes.count)
}

/// Writes the whole text to stdout.
func printResult(_ text: String) throws {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else {
      if errno == EPIPE { throw OutputClosed() }
      throw CommandFailure(exitCode: EX_IOERR, message: "cannot write to standard output: \(SystemError.current.text)")
    }
    rest = rest.dropFirst(count)
  }
}

/// The value of an environment variable; `nil` if it is not set or empty.
func environment(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}
