/// A command in one argument: words between spaces. 'Single' and "double" quotes keep spaces in a word and mean nothing
/// else; there are no variables, no escapes and no shell.
struct CommandWords {
  let words: [String]

  /// Nil without a word, and for a quote that is not closed.
  init?(_ text: String) {
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
}
