import Glibc
import TestSupport
import Testing

@testable import MAM

@Suite struct LogFileTests {
  @Test("a line that a full disk does not take is an error", .enabled(if: access("/dev/full", W_OK) == 0))
  func fullDisk() throws {
    let file = try #require(LogFile(appendingTo: "/dev/full"))
    #expect(file.append(Array("line\n".utf8)) == ENOSPC)
  }

  @Test("a cut message ends at a character")
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
