import MAM
import Model
import Support
import TestSupport

/// A log in a temporary folder, under a clock that stands still.
struct LogFixture {
  let folder = TemporaryFolder()
  let clock: ManualClock
  let log: DiagnosticsLog
  let failures = Lock<[String]>([])

  static let salt: [UInt8] = Array(0..<16)

  init(maximumFileSize: Int = 8 << 20, identities: [String] = []) {
    let names = KnownNames(identities)
    clock = ManualClock(startingAt: Timestamp(milliseconds: 1_769_851_800_000))
    log = DiagnosticsLog(
      folder: folder.file("logs"), clock: clock, salt: Self.salt, maximumFileSize: maximumFileSize,
      knownNames: { names }, reportFailure: { [failures] text in failures.withLock { $0.append(text) } })
  }

  var current: String { folder.file("logs/intune.log") }
  var previous: String { folder.file("logs/intune.1.log") }
  var text: String { String(decoding: readFile(current) ?? [], as: UTF8.self) }

  func messages(_ query: LogQuery = LogQuery(limit: 10_000, order: .oldest)) throws -> [String] {
    try log.query(query).map(\.message)
  }
}
