import Testing

@testable import Model

@Suite struct UserMessageTests {
  @Test("Every message has text in every language and never names mambridge", arguments: Language.allCases)
  fileprivate func texts(_ language: Language) {
    for message in UserMessage.allCases {
      let text = message.text(in: language)
      #expect(!text.isEmpty, "\(message.key)")
      #expect(!text.hasPrefix(" "), "\(message.key)")
      #expect(!text.hasSuffix(" "), "\(message.key)")
      #expect(!text.contains("mambridge"), "\(message.key)")
      #expect(!text.contains("\n"), "\(message.key)")
      #expect(!text.contains("  "), "\(message.key)")
    }
  }

  @Test("Message keys are unique, contain only ASCII letters and underscores, and find their message")
  func names() {
    let names = UserMessage.allCases.map(\.key)
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { name in name.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") } })
    for message in UserMessage.allCases { #expect(UserMessage(key: message.key) == message) }
    #expect(UserMessage(key: "Unheard_Of") == nil)
  }

  @Test(
    "A translated message has a placeholder if and only if the English message has one", arguments: Language.allCases)
  fileprivate func places(_ language: Language) {
    for message in UserMessage.allCases {
      let places = [Language.english, language].map { message.text(in: $0).filter { $0 == "#" }.count }
      #expect(places[0] == places[1], "\(message.key)")
      #expect(places[0] < 2, "\(message.key)")
    }
  }

  @Test(
    "No translated message repeats the English text, except OK", arguments: Language.allCases.filter { $0 != .english })
  fileprivate func translated(_ language: Language) {
    for message in UserMessage.allCases where message.text(in: .english) != "OK" {
      #expect(message.text(in: language) != message.text(in: .english), "\(message.key)")
    }
  }

  @Test(
    "No two messages have the same text in a language, except the label of a blocked action",
    arguments: Language.allCases)
  fileprivate func distinct(_ language: Language) {
    let messages = UserMessage.allCases.filter { $0 != .sharing(.blockedAction) }
    let texts = Dictionary(grouping: messages) { $0.text(in: language) }
    for (text, messages) in texts { #expect(messages.count == 1, "\(text)") }
  }

  @Test(
    "Button labels and message titles are short, and only sentences end with a period", arguments: Language.allCases)
  fileprivate func lengths(_ language: Language) {
    let buttons: [UserMessage] = [.alert(.ok), .alert(.goOn), .alert(.cancel), .sharing(.blockedAction)]
    for message in UserMessage.allCases {
      let text = message.text(in: language)
      let isLabel = message.key.hasSuffix("_Title") || message.key.hasSuffix("ConnectionTitle")
      if buttons.contains(message) {
        #expect(text.count <= 12, "\(text)")
      } else if isLabel {
        #expect(text.count <= 40, "\(text)")
      }
      let isSentence = text.hasSuffix(".") || text.hasSuffix("。") || text.hasSuffix(": #")
      #expect(isSentence == !(isLabel || buttons.contains(message)), "\(text)")
      #expect(text.count <= 220, "\(text)")
    }
  }

  @Test("Every Japanese message contains Japanese script, and no message of another language does")
  func scripts() {
    for message in UserMessage.allCases where message.text(in: .japanese) != "OK" {
      for language in Language.allCases {
        let hasKana = message.text(in: language).unicodeScalars.contains { (0x3040...0x9FFF).contains($0.value) }
        #expect(hasKana == (language == .japanese), "\(message.key)")
      }
    }
  }
}
