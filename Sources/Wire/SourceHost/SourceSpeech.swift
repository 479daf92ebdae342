/// The standard error of a source, line by line. Of a source that talks too much, only some lines are passed on.
struct SourceSpeech {
  private static let lineBytes = 1000
  static let usualLines = 50
  private static let period = Duration.seconds(60)

  /// The number of lines that are passed on in each period.
  private let linesInPeriod: Int
  private(set) var lastLine: String?
  private var line: [UInt8] = []
  private var periodEnd = ContinuousClock.now + period
  private var count = 0

  init(linesInPeriod: Int = SourceSpeech.usualLines) { self.linesInPeriod = linesInPeriod }

  mutating func add(_ bytes: ArraySlice<UInt8>, _ say: (String) -> Void) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") { endLine(say) } else if line.count < Self.lineBytes { line.append(byte) }
    }
  }

  /// Passes on the rest.
  mutating func finish(_ say: (String) -> Void) {
    if !line.isEmpty { endLine(say) }
    tellOmitted(say)
  }

  private mutating func endLine(_ say: (String) -> Void) {
    defer { line = [] }
    let text = String(decoding: line, as: UTF8.self)
    guard !text.isEmpty else { return }
    lastLine = text
    if ContinuousClock.now >= periodEnd { beginPeriod(say) }
    count += 1
    if count <= linesInPeriod { say(text) }
  }

  private mutating func beginPeriod(_ say: (String) -> Void) {
    tellOmitted(say)
    periodEnd = ContinuousClock.now + Self.period
    count = 0
  }

  private func tellOmitted(_ say: (String) -> Void) {
    if count > linesInPeriod { say("(\(count - linesInPeriod) more lines)") }
  }
}
