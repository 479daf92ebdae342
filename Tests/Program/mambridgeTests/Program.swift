import Glibc
import JSON
import TestSupport

/// The built program, on state of its own.
final class Program {
  static let path = Checkout.program("mambridge", orAt: "MAMBRIDGE")

  let folder = TemporaryFolder()
  var state: String { folder.file("state") }
  /// The sample tenant on this state.
  var options: [String] { ["--state", state, "--tenant", "sample"] }

  /// Runs it to its end.
  static func run(_ arguments: [String], input: String = "") throws -> Subprocess.Outcome {
    try Subprocess.run(path, arguments, input: input)
  }

  func call(_ arguments: String..., options more: [String] = []) throws -> Subprocess.Outcome {
    try Self.run(["call"] + options + more + arguments)
  }

  /// The replies to lines on standard input.
  func serve(_ input: String, options more: [String] = []) throws -> Subprocess.Outcome {
    try Self.run(options + more, input: input)
  }

  /// A server that goes on.
  func start(_ more: [String] = []) throws -> Subprocess {
    try Subprocess(Self.path, options + more)
  }
}

extension Subprocess {
  /// The reply to one request, line by line.
  func ask(_ method: String, _ params: JSONValue = [:]) throws -> JSONValue {
    write(request(method, params) + "\n")
    return try JSONValue(parsing: readLine())
  }
}

func request(_ method: String, _ params: JSONValue = [:], id: JSONValue = 1) -> String {
  JSONValue.object(["jsonrpc": "2.0", "id": id, "method": .string(method), "params": params]).jsonText
}

extension Subprocess.Outcome {
  /// The lines of standard output.
  var lines: [String] { output.split(separator: "\n").map(String.init) }
  var replies: [JSONValue] { lines.compactMap { try? JSONValue(parsing: $0) } }
  /// The error that `call` writes.
  var error: JSONValue? { try? JSONValue(parsing: errors) }
}
