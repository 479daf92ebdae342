import CGlibc
import Cryptography
import Glibc
import Support

/// A program whose output is a secret. No shell is used.
package struct SecretCommand: Sendable {
  package enum Failure: Error {
    case memory(CryptographyError)
    /// What the program did wrong, as a predicate: "ended with status 1". Contains nothing that the program wrote.
    case program(String)
  }

  let words: [String]
  /// The largest output in bytes.
  let maximum: Int
  /// What the program finds in its environment beside our own variables.
  let variables: [String: String]
  /// How long the program may run.
  let patience: Duration

  /// The default patience is long enough to touch a hardware key or type a PIN.
  package init(
    words: [String], maximum: Int, variables: [String: String] = [:], patience: Duration = .seconds(60)
  ) {
    self.words = words
    self.maximum = maximum
    self.variables = variables
    self.patience = patience
  }

  /// The program gets an empty standard input and our standard error. One line break at the end of its output is left
  /// out.
  package func run() throws(Failure) -> SecretBytes {
    var ends: [Int32] = [-1, -1]
    guard !words.isEmpty, pipe2(&ends, O_CLOEXEC) == 0 else { throw cannotStart(words.isEmpty ? EINVAL : errno) }
    let child = ChildProcess.start(words, output: .descriptor(ends[1]), environment: environment)
    close(ends[1])
    defer { close(ends[0]) }
    let process = try child.mapError { cannotStart($0.number) }.get()
    let program = ChildProgram(process: process, deadline: .now + patience)
    defer { program.stop() }
    let secret = try secret(from: ends[0], of: program)
    try checkEnd(of: program)
    return secret
  }

  /// Our environment with the program's own variables, as `NAME=VALUE`.
  private var environment: [String] {
    var next = environ
    var entries: [String] = []
    while let entry = next.pointee {
      entries.append(String(cString: entry))
      next += 1
    }
    let inherited = entries.filter { entry in
      !variables.keys.contains { entry.hasPrefix($0 + "=") }
    }
    return inherited + variables.map { "\($0)=\($1)" }.sorted()
  }

  private func secret(from output: Int32, of program: ChildProgram) throws(Failure) -> SecretBytes {
    var outcome = ChildProgram.Output.late
    let secret: SecretBytes
    do throws(CryptographyError) {
      secret = try SecretBytes(capacity: maximum + 1) { target throws(CryptographyError) in
        outcome = program.read(output, into: target)
        guard case .whole(let count) = outcome else { return 0 }
        return count > 0 && target[count - 1] == UInt8(ascii: "\n") ? count - 1 : count
      }
    } catch {
      throw .memory(error)
    }
    switch outcome {
    case .whole: return secret
    case .late: throw tooSlow
    case .tooLong: throw .program("wrote more than \(maximum) bytes")
    }
  }

  private func checkEnd(of program: ChildProgram) throws(Failure) {
    guard let ending = program.waitForEnd() else { throw tooSlow }
    guard ending.isSuccess else { throw .program(ending.text) }
  }

  private var tooSlow: Failure { .program("did not end within \(patience.components.seconds) s") }

  /// The system also reports a missing file if the interpreter in the first line of a script is missing.
  private func cannotStart(_ number: Int32) -> Failure {
    let isThere = number == ENOENT && words.first.map { $0.contains("/") && access($0, F_OK) == 0 } ?? false
    let reason = isThere ? "the interpreter that it names does not exist" : SystemError(number: number).text
    return .program("could not be started: \(reason)")
  }
}
