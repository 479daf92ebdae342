import Glibc
import MAM
import Model
import Support

/// Searches a log that is far longer than mambridge lets a log grow. Measures processor time, because the file is in
/// memory.
struct LogGroup {
  private static let lines = 1_000_000
  private static let start = Timestamp(milliseconds: 1_780_000_000_000)
  let folder: String
  let runs: Int

  func rows() throws -> [Row] {
    try write()
    let log = DiagnosticsLog(folder: folder, clock: SystemClock(), salt: [])
    let late = Self.start.advanced(by: Int64(Self.lines) - 50)
    return try [
      row(log, "by level", LogQuery(level: .error, limit: 10_000), hits: 100),
      row(log, "by time, oldest first", LogQuery(since: late, limit: 10_000, order: .oldest), hits: 50),
      row(log, "by text", LogQuery(text: "needle", limit: 10_000), hits: 100),
      row(log, "by category and text", LogQuery(text: "needle", category: "files", limit: 10_000), hits: 100),
      row(log, "without a match", LogQuery(text: "nowhere to be found"), hits: 0),
    ]
  }

  private func row(_ log: DiagnosticsLog, _ title: String, _ query: LogQuery, hits: Int) throws -> Row {
    var least = Double.infinity
    for _ in 0..<max(1, runs) {
      var found = 0
      let cost = try Cost { found = try log.query(query).count }
      guard found == hits else { throw Failure("\(title): found \(found) lines instead of \(hits)") }
      least = min(least, cost.processor)
    }
    return Row(title: "search of a million log lines \(title)", value: least * 1000, unit: " ms", atMost: 300)
  }

  /// One line per millisecond. One in ten thousand is an error and contains the needle.
  private func write() throws {
    guard let file = fopen(folder + "/intune.log", "w") else { throw Failure("cannot write the log") }
    defer { fclose(file) }
    for number in 0..<Self.lines {
      let isHit = number % 10_000 == 5000
      let time = Self.start.advanced(by: Int64(number))
      fputs(
        #"{"time":"\#(time)","level":"\#(isHit ? "error" : "info")","category":"files","message":"\#(number): "#, file)
      fputs(isHit ? "the needle\"}\n" : "a document was protected for <user:3fa1c2d4>\"}\n", file)
    }
  }
}
