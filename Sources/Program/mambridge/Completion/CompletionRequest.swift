import Glibc
import Support

/// What a completion script asks: `mambridge ---complete words WORD…` with the words after the program's name, the last
/// of them up to the cursor, or `mambridge ---complete bash LINE BREAKS` with the line up to the cursor and the
/// characters at which bash's readline breaks words.
///
/// The first line of the answer is `words`, or `files` or `folders` with a tab and the part of the word before the path.
/// After `words`, each line is a completion of the word; for `words` requests with a tab and a description.
struct CompletionRequest {
  private enum Form { case words([String]), bash(line: String, breaks: String) }

  private let form: Form

  /// `nil` for any other command line.
  init?(_ words: [String]) {
    guard words.first == "---complete", words.count > 2 else { return nil }
    switch words[1] {
    case "words": form = .words(Array(words[2...]))
    case "bash": form = .bash(line: words[2], breaks: words.count > 3 ? words[3] : "")
    default: return nil
    }
  }

  /// Prints the answer and returns the exit code.
  func answer() -> Int32 {
    reportingFailure {
      signal(SIGPIPE, SIG_IGN)
      if let tree = CommandTree(of: Mambridge.self) { try printResult(text(of: tree)) }
      return EXIT_SUCCESS
    }
  }

  func text(of tree: CommandTree) -> String {
    switch form {
    case .words(let words):
      lines(of: Completer(tree).completion(of: words)) { "\($0.text)\t\($0.summary)" }
    case .bash(let line, let breaks):
      text(of: BashLine(line, breaks: breaks), tree)
    }
  }

  private func text(of line: BashLine, _ tree: CommandTree) -> String {
    lines(of: Completer(tree).completion(of: Array(line.words.dropFirst()))) { candidate in
      // Readline replaces only the end of the word.
      String(candidate.text.dropFirst(line.keptCount))
    }
  }

  private func lines(of completion: Completion, _ line: (Completion.Candidate) -> String) -> String {
    let lines =
      switch completion {
      case .words(let candidates): ["words"] + candidates.map(line)
      case .files(let prefix): ["files\t\(prefix)"]
      case .folders(let prefix): ["folders\t\(prefix)"]
      }
    return lines.map { $0 + "\n" }.joined()
  }
}

/// A command line of bash, in words. Quotes and backslashes are taken off; expansions stay as they are.
struct BashLine {
  /// The last word is the one to complete, which may be empty.
  private(set) var words = [""]
  /// How many characters of the last word readline leaves as they are.
  private(set) var keptCount = 0

  init(_ line: String, breaks: String) {
    var quote: Character?
    var (isEscaped, isInWord) = (false, false)
    for character in line {
      if isEscaped {
        add(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote != nil {
        add(character)
      } else if character == "'" || character == "\"" {
        quote = character
        keptCount = words[words.count - 1].count
      } else if character == " " || character == "\t" || character == "\n" {
        if isInWord { words.append("") }
        (isInWord, keptCount) = (false, 0)
        continue
      } else {
        add(character)
        if breaks.contains(character) { keptCount = words[words.count - 1].count }
      }
      isInWord = true
    }
  }

  private mutating func add(_ character: Character) { words[words.count - 1].append(character) }
}
