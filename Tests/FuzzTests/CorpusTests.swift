import FoundationEssentials
import Testing

/// The inputs that scripts/fuzz has learned from, without libFuzzer: one a line, in base64.
@Suite struct CorpusTests {
  @Test func `no input of the corpus is a finding`() async {
    await #expect(processExitsWith: .success) {
      let file = "\(#filePath)".dropLast("CorpusTests.swift".count) + "FuzzWire.corpus"
      let lines = try String(contentsOfFile: String(file), encoding: .utf8).split(separator: "\n")
      #expect(lines.count > 500)
      for line in lines {
        let input = Array(try #require(Data(base64Encoded: String(line))))
        _ = input.withUnsafeBufferPointer { checkOneInput($0.baseAddress, $0.count) }
      }
    }
  }
}
