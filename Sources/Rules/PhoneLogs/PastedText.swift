import Support

/// Undoes what pasting does to a line: quote marks and list marks of Markdown and mail, curly quotes, HTML's names of
/// characters, and text that was read in the wrong encoding.
enum PastedText {
  static func cleaned(_ line: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(line)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = bytes.firstIndex { !isQuoteMark($0) } ?? bytes.endIndex
    while place < bytes.endIndex {
      if let (form, plain) = replacement(at: place, in: bytes) {
        result += plain
        place += form
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    while let last = result.last, last.isWhitespace { result.removeLast() }
    return result
  }

  private static func isQuoteMark(_ byte: UInt8) -> Bool {
    byte.isWhitespace || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "|")
  }

  /// How many bytes are written as which others; `nil` if the byte stays.
  private static func replacement(at place: Int, in bytes: [UInt8]) -> (Int, [UInt8])? {
    let byte = bytes[place]
    // Nearly every byte of a log ends here.
    guard
      byte >= 0x80 || byte == UInt8(ascii: "*") || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "&")
        || byte == 0x1B
    else { return nil }
    switch byte {
    case UInt8(ascii: "`"): return (1, [])
    case 0x1B: return (colorLength(at: place, in: bytes), [])
    default:
      let rest = bytes[place...]
      for (form, plain) in forms where rest.starts(with: form) { return (form.count, plain) }
      return nil
    }
  }

  /// The length of a sequence that colors a terminal.
  private static func colorLength(at place: Int, in bytes: [UInt8]) -> Int {
    guard place + 1 < bytes.endIndex, bytes[place + 1] == UInt8(ascii: "[") else { return 1 }
    let end = bytes[(place + 2)...].firstIndex { 0x40...0x7E ~= $0 } ?? bytes.endIndex - 1
    return end - place + 1
  }

  private static let forms: [([UInt8], [UInt8])] = {
    let quote = "\"", apostrophe = "'"
    let table: KeyValuePairs = [
      "**": "", "\u{201C}": quote, "\u{201D}": quote, "\u{201E}": quote, "\u{2018}": apostrophe, "\u{2019}": apostrophe,
      // UTF-8 that was read as Windows-1252.
      "\u{E2}\u{20AC}\u{153}": quote, "\u{E2}\u{20AC}\u{9D}": quote, "\u{E2}\u{20AC}\u{2122}": apostrophe,
      "\u{E2}\u{20AC}\u{2DC}": apostrophe, "\u{E2}\u{20AC}\u{201C}": "-", "\u{C2}\u{A0}": " ",
      // Spaces and signs without a width, and dashes.
      "\u{A0}": " ", "\u{202F}": " ", "\u{200B}": "", "\u{200C}": "", "\u{200D}": "", "\u{FEFF}": "",
      "\u{2010}": "-", "\u{2011}": "-", "\u{2013}": "-", "\u{2212}": "-",
      "&quot;": quote, "&#34;": quote, "&#39;": apostrophe, "&apos;": apostrophe, "&lt;": "<", "&gt;": ">",
      "&amp;": "&", "&nbsp;": " ",
    ]
    return table.map { (Array($0.key.utf8), Array($0.value.utf8)) }
  }()
}
