import JSON

/// What a user is told, in no language yet. The store keeps it so: whoever reads it may have a user of another language
/// than who wrote it, and the same question stays the same question.
package struct UserText: Hashable, Sendable {
  package struct Sentence: Hashable, Sendable {
    package let message: UserMessage
    /// Such as a version: stands in the text.
    let detail: String?
  }

  /// Each stands on a line of its own.
  private var paragraphs: [[Sentence]]

  package init(_ message: UserMessage, _ detail: String? = nil) {
    paragraphs = [[Sentence(message: message, detail: detail)]]
  }

  package init(lines: [UserText]) {
    paragraphs = lines.flatMap(\.paragraphs)
  }

  /// On the same line.
  package func followed(by other: UserText) -> UserText {
    var joined = self
    joined.paragraphs = Array(paragraphs.dropLast()) + [(paragraphs.last ?? []) + (other.paragraphs.first ?? [])]
    joined.paragraphs += other.paragraphs.dropFirst()
    return joined
  }

  /// The most particular of its messages.
  package var particular: UserMessage? { paragraphs.last?.last?.message }

  package func text(in language: Language) -> String {
    let lines = paragraphs.map { sentences in
      sentences.map { $0.message.text(in: language, $0.detail) }.joined(separator: language.sentenceSeparator)
    }
    return lines.joined(separator: "\n")
  }
}

/// In the store: the names of the messages with their details, such as `[[["Set_Pin_Error"],["Passcode_Length_Required","6"]]]`.
extension UserText {
  package var stored: String {
    JSONValue.array(paragraphs.map { .array($0.map(\.jsonValue)) }).jsonText
  }

  /// Nil for a message that this version does not know.
  package init?(stored: String) {
    guard let paragraphs = try? JSONValue(parsing: Array(stored.utf8)).arrayValue, !paragraphs.isEmpty else {
      return nil
    }
    self.paragraphs = []
    for paragraph in paragraphs {
      let sentences = (paragraph.arrayValue ?? []).map(Sentence.init(jsonValue:))
      guard !sentences.isEmpty, !sentences.contains(nil) else { return nil }
      self.paragraphs.append(sentences.compactMap { $0 })
    }
  }
}

extension UserText.Sentence {
  fileprivate var jsonValue: JSONValue {
    .array([message.key, detail].compactMap { $0.map(JSONValue.string) })
  }

  fileprivate init?(jsonValue: JSONValue) {
    guard let texts = jsonValue.arrayValue, let key = texts.first?.stringValue, let message = UserMessage(key: key)
    else { return nil }
    self.init(message: message, detail: texts.count > 1 ? texts[1].stringValue : nil)
  }
}
