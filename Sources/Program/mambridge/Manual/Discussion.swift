/// The discussion in the help of a command, in the parts that a manual page has.
///
/// Paragraphs are separated by empty lines, and lines of code are indented. `Exit codes: …` is a paragraph of its own.
/// After a paragraph `Examples:` there is only code, in which `# …` says what the lines below it do.
struct Discussion {
  enum Block: Equatable { case paragraph(String), code([String]) }

  struct Example: Equatable {
    let purpose: String
    let lines: [String]
  }

  struct ExitCode: Equatable {
    let code: String
    let meaning: String
  }

  private static let examplesTitle = "Examples:"
  private static let exitCodesTitle = "Exit codes: "

  private(set) var description: [Block] = []
  private(set) var examples: [Example] = []
  private(set) var exitCodes: [ExitCode] = []

  init(_ text: String) {
    let blocks = Self.blocks(of: text)
    let end = blocks.firstIndex(of: .paragraph(Self.examplesTitle)) ?? blocks.endIndex
    for block in blocks[..<end] {
      if case .paragraph(let text) = block, text.hasPrefix(Self.exitCodesTitle) {
        exitCodes = Self.exitCodes(in: text.dropFirst(Self.exitCodesTitle.count))
      } else {
        description.append(block)
      }
    }
    for case .code(let lines) in blocks[end...] { examples += Self.examples(in: lines) }
  }

  /// Code that is interrupted only by empty lines is one block.
  private static func blocks(of text: String) -> [Block] {
    var blocks: [Block] = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for lines in lines.split(separator: "") {
      guard lines.allSatisfy({ $0.hasPrefix("  ") }) else {
        blocks.append(.paragraph(lines.joined(separator: " ")))
        continue
      }
      let code = lines.map { String($0.dropFirst(2)) }
      if case .code(let before) = blocks.last {
        blocks[blocks.count - 1] = .code(before + [""] + code)
      } else {
        blocks.append(.code(code))
      }
    }
    return blocks
  }

  private static func examples(in lines: [String]) -> [Example] {
    lines.split(separator: "").map { lines in
      let purpose = lines.prefix { $0.hasPrefix("# ") }.map { $0.dropFirst(2) }.joined(separator: " ")
      return Example(purpose: purpose, lines: Array(lines.drop { $0.hasPrefix("# ") }))
    }
  }

  /// For example `0 done; 1 the call failed; 129, 130 or 143 stopped by a signal.`
  private static func exitCodes(in text: Substring) -> [ExitCode] {
    let text = text.hasSuffix(".") ? text.dropLast() : text
    return text.split(separator: ";").map { entry in
      let words = entry.split(separator: " ")
      let codes = words.prefix { $0 == "or" || $0.first?.isNumber == true }
      return ExitCode(
        code: codes.joined(separator: " "), meaning: words[codes.count...].joined(separator: " "))
    }
  }
}
