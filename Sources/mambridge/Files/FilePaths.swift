import ArgumentParser
import MAM
import Model

extension AbsolutePath: ExpressibleByArgument {
  /// Seen from the folder in which the program was started, without what leads nowhere. Nil for nothing.
  public init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    let parts = argument.absolutePath.split(separator: "/").filter { $0 != "." }
    self.init("/" + parts.joined(separator: "/"))
  }
}

/// The files and folders that a command works on, one after the other.
struct FilePaths: ParsableArguments {
  @Argument(help: ArgumentHelp("Files and folders.", valueName: "path"), completion: .file())
  var paths: [AbsolutePath]

  /// The exit code. What fails is told on stderr, and the others are done.
  func forEach(_ body: (AbsolutePath) throws(MAMError) -> Void) -> Int32 {
    var code: Int32 = 0
    for path in paths {
      do throws(MAMError) {
        try body(path)
      } catch {
        code = 1
        error.print()
      }
    }
    return code
  }
}

extension MAMError {
  /// On stderr, and each file of a folder that failed.
  func print() {
    for failure in failures {
      printError("mambridge: error \(failure.code.rawValue), \(failure.message) (\(failure.path))")
    }
    printError("mambridge: \(line)")
  }
}
