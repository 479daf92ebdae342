import Glibc
import Support

/// Writes the log of the service to stderr, one line for each event.
struct ServiceLog: Sendable {
  /// At the start of each line.
  var mark = ""
  /// journald has the time of each line.
  private let hasTimes = environment("JOURNAL_STREAM") == nil

  func write(_ line: String) {
    printError((hasTimes ? "\(SystemClock().now) " : "") + mark + line)
  }
}
