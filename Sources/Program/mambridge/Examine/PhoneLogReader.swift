import JSON
import PhoneLogs
import Support

/// Reads a log or a dump piece by piece, in memory that does not grow with its length.
struct PhoneLogReader {
  /// How many bytes to add at once.
  static let chunk = 1 << 16

  private var examiner = Examiner()
  private var splitter = LineSplitter()
  private var isEmpty = true

  /// Throws if the first bytes are those of something else than text.
  mutating func add(_ bytes: some Collection<UInt8>) throws(UnreadableInput) {
    guard !bytes.isEmpty else { return }
    if isEmpty, let kind = UnreadableInput(bytes) { throw kind }
    isEmpty = false
    splitter.add(bytes) { line, isWhole in examiner.add(line, mayBeCut: !isWhole) }
  }

  consuming func finish() throws(UnreadableInput) -> Examination {
    if isEmpty { throw .empty }
    splitter.finish { line, isWhole in examiner.add(line, mayBeCut: !isWhole) }
    return examiner.finish()
  }
}

/// What is no text, by its first bytes.
enum UnreadableInput: Error {
  case empty, archive, utf16, propertyList, binary

  fileprivate init?(_ bytes: some Collection<UInt8>) {
    if bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x1F, 0x8B]) {
      self = .archive
    } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      self = .utf16
    } else if bytes.starts(with: "bplist".utf8) {
      self = .propertyList
    } else if bytes.contains(0) || bytes.count(where: Self.isControl) > bytes.count / 20 {
      self = .binary
    } else {
      return nil
    }
  }

  /// A byte that text does not contain, but for the escapes that color a terminal.
  private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && !byte.isWhitespace && byte != 0x1B }

  /// What it is, and what to do.
  var text: String {
    switch self {
    case .empty: "empty"
    case .archive: "an archive. Unpack it, and examine the logs in it one by one"
    case .utf16: "UTF-16. Convert it with iconv -f UTF-16 -t UTF-8"
    case .propertyList: "a binary property list. Convert it with plistutil or plutil"
    case .binary: "no text. Examine a log or a dump"
    }
  }
}
