import JSON
import PhoneLogs
import Support
import Transport

extension PageExaminer {
  /// In bytes. The whole text is in memory, unlike that of the command.
  static let mostBytes = 16 << 20

  /// Says what `mambridge examine` says: as data, and as the text that the command prints.
  static let console = PageExaminer(limit: mostBytes, hint: "Use mambridge examine FILE") { text in
    let answer: JSONValue
    do throws(UnreadableInput) {
      let report = ExaminationReport(try read(text))
      answer = ["report": report.json, "text": .string(report.text(on: Terminal()))]
    } catch {
      answer = ["unreadable": .string("The input is \(error.text).")]
    }
    return Array(answer.jsonText.utf8)
  }

  /// Stops early if nobody waits for the answer.
  private static func read(_ text: ClearedBytes) throws(UnreadableInput) -> Examination {
    try text.withBytes { bytes throws(UnreadableInput) in
      var reader = PhoneLogReader()
      var start = 0
      while start < bytes.count, !Task.isCancelled {
        let end = min(start + PhoneLogReader.chunk, bytes.count)
        try reader.add(bytes[start..<end])
        start = end
      }
      return try reader.finish()
    }
  }
}
