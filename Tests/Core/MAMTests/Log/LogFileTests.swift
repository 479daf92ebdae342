import Glibc
import TestSupport
import Testing

@testable import MAM

@Suite struct LogFileTests {
  @Test("Appending a log line on a full disk returns ENOSPC", .enabled(if: access("/dev/full", W_OK) == 0))
  func fullDisk() throws {
    let file = try #require(LogFile(appendingTo: "/dev/full"))
    #expect(file.append(Array("line\n".utf8)) == ENOSPC)
  }

  @Test("A message over the limit is cut at a character boundary, as close to the limit as possible")
  func cut() {
    #expect(LogLine.cut("short") == "short")
    for padding in 0..<5 {
      let text = String(repeating: "a", count: padding) + String(repeating: "😀", count: 2000)
      let cut = LogLine.cut(text)
      #expect(cut.utf8.count <= LogLine.messageLimit)
      #expect(cut.utf8.count > LogLine.messageLimit - 8)
      #expect(text.hasPrefix(cut.dropLast()))
    }
  }
}
