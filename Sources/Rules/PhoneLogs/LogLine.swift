import Support

/// A line of a phone's log, or of what somebody wrote around it.
struct LogLine {
  /// Counted from 1.
  let number: Int
  /// `nil` if the line does not begin with a time.
  let time: LogTime?
  /// The line without the marks of pasting.
  let bytes: [UInt8]
  /// Where the text begins after the time.
  let textStart: Int
  /// Whether a program wrote the line, and not a person about it.
  let isLogged: Bool
  /// Whether the input ends within the line, so that its last word may be cut.
  let mayBeCut: Bool

  init(number: Int, pasted: some Collection<UInt8>, mayBeCut: Bool = false) {
    self.number = number
    self.mayBeCut = mayBeCut
    bytes = PastedText.cleaned(pasted)
    let found = LogTime.leading(bytes) ?? Self.timeOfMSAL(bytes)
    time = found?.time
    textStart = found?.length ?? 0
    isLogged = found != nil || Self.hasSignOfProgram(bytes)
  }

  func includes(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { sign in bytes.firstPlace(ofText: sign) != nil }
  }

  func includesInAnyCase(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { sign in bytes.firstPlace(ofLowercased: sign) != nil }
  }

  /// `TID=… MSAL … [2026-01-05 10:00:00 - …] text`: the time is in the brackets.
  private static func timeOfMSAL(_ bytes: [UInt8]) -> (time: LogTime, length: Int)? {
    guard bytes.starts(with: "TID=".utf8), let bracket = bytes.firstIndex(of: UInt8(ascii: "[")),
      let (time, length) = LogTime.leading(Array(bytes[bracket...]))
    else { return nil }
    return (time, bracket + length)
  }

  private static let signs: [StaticString] = [
    "IntuneMAM: ", "Error Domain=", "MSALErrorDomain", "CMAR", "MAMWE", "MAMInfo", "MAMEnrollment",
    "AMEnrollment", "MAMComponents", "entNotificationReceiver", "MAMClientImpl",
  ]

  /// Also a tag of Android's, as in `I/MAMInfo(1234): text`.
  private static func hasSignOfProgram(_ bytes: [UInt8]) -> Bool {
    if bytes.count > 2, bytes[1] == UInt8(ascii: "/"), "VDIWEF".utf8.contains(bytes[0]) { return true }
    return signs.contains { sign in sign.withUTF8Buffer { bytes.firstPlace(ofText: $0) != nil } }
  }
}

extension [UInt8] {
  /// Where a text is first. Looks for its first byte, which is quick in long lines.
  func firstPlace(ofText text: UnsafeBufferPointer<UInt8>, in range: Range<Int>? = nil) -> Int? {
    let range = range ?? indices
    guard let first = text.first else { return nil }
    var place = range.lowerBound
    while place <= range.upperBound - text.count {
      guard let next = self[place...(range.upperBound - text.count)].firstIndex(of: first) else { return nil }
      if self[next...].starts(with: text) { return next }
      place = next + 1
    }
    return nil
  }

  /// The same for a text in lower case, whatever the case of the bytes.
  func firstPlace(ofLowercased text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let first = text.first, count >= text.count else { return nil }
    return (0...(count - text.count)).first { place in
      guard self[place].lowercasedLetter == first else { return false }
      for offset in 1..<text.count where self[place + offset].lowercasedLetter != text[offset] { return false }
      return true
    }
  }
}
