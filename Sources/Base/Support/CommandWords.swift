/// A command line in one argument, split into words at white space. 'Single' and "double" quotes keep white space in a
/// word. There are no variables, no escapes and no shell.
package struct CommandWords {
  package let words: [String]

  /// `nil` if the text names no program, or a quote is not closed.
  package init?(_ text: String) {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in text {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == " " || character == "\t" || character == "\n" {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    guard quote == nil, words.first?.isEmpty == false else { return nil }
    self.words = words
  }

  /// A text in quotes, so that it is one word of a command line. A single quote in it stands in double quotes.
  package static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\"'\"'") + "'"
  }
}
