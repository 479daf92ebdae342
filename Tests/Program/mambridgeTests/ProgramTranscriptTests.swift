import TestSupport
import Testing

/// One file of Tests/Transcripts/program; FORMAT.md beside that folder says what the lines mean.
private struct ProgramTranscript: CustomTestStringConvertible, Sendable {
  enum Step: Sendable {
    case send(String)
    case expect(String)
  }

  let testDescription: String
  let steps: [Step]

  static let all = filesOf(folder: Checkout.path("Tests/Transcripts/program")).map { file in
    let lines = String(decoding: readFile(file) ?? [], as: UTF8.self).split(separator: "\n")
    return ProgramTranscript(testDescription: file, steps: lines.compactMap(step))
  }

  private static func step(_ line: Substring) -> Step? {
    switch line.prefix(4) {
    case "--> ": .send(String(line.dropFirst(4)))
    case "<-- ": .expect(String(line.dropFirst(4)))
    default: nil
    }
  }
}

@Suite(.ownThreads) struct ProgramTranscriptTests {
  @Test("The server gives exactly the replies in the recorded transcripts", arguments: ProgramTranscript.all)
  private func transcript(_ transcript: ProgramTranscript) throws {
    let server = try Program().start()
    let lastSent = transcript.steps.lastIndex { if case .send = $0 { true } else { false } }
    for (index, step) in transcript.steps.enumerated() {
      switch step {
      case .send(let text): server.write(text + "\n")
      case .expect(let text):
        let line = try server.readLine()
        #expect(line.fits(text), "\(line) is not \(text)")
      }
      if index == lastSent { server.closeInput() }
    }
    #expect(try server.wait() == Subprocess.Outcome(status: 0, output: "", errors: ""))
  }

  @Test("Tests/Transcripts/program contains at least three transcripts")
  func present() {
    #expect(ProgramTranscript.all.count >= 3)
  }
}

extension String {
  /// Whether this is `pattern`, where `…` stands for any text.
  fileprivate func fits(_ pattern: String) -> Bool {
    var rest = self[...]
    var parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
    guard let first = parts.first, rest.hasPrefix(first) else { return false }
    guard parts.count > 1, let last = parts.popLast() else { return self == pattern }
    rest = rest.dropFirst(first.count)
    guard rest.hasSuffix(last) else { return false }
    rest = rest.dropLast(last.count)
    for part in parts.dropFirst() {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }
}
