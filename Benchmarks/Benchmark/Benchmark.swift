import Glibc

/// Measures the core by itself, compared with the system and OpenSSL on the same bytes. Benchmarks/run builds and runs
/// it. Prints one JSON object: rows of the table or, for `primitives`, milliseconds.
@main struct Benchmark {
  private static let usage =
    "usage: Benchmark files | log | policy | protect FOLDER RUNS, or Benchmark primitives\n"

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.first, arguments.dropFirst().first, arguments.last.flatMap(Int.init)) {
    case ("files", let folder?, let runs?): print(try FileGroup(folder: folder, runs: runs).rows().json)
    case ("policy", let folder?, let runs?): print(try PolicyGroup(folder: folder, runs: runs).rows().json)
    case ("protect", let folder?, let runs?): print(try ProtectGroup(folder: folder, runs: runs).rows().json)
    case ("log", let folder?, let runs?): print(try LogGroup(folder: folder, runs: runs).rows().json)
    case ("primitives", nil, _): print(try Primitives().json)
    default:
      complain(usage)
      exit(2)
    }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func complain(_ text: String) {
  _ = Array(text.utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
