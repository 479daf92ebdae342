/// A group of messages. Its texts are one exhaustive table for each language, so that none can lack a message.
protocol MessageTopic: CaseIterable, Hashable, RawRepresentable<String>, Sendable {
  var english: String { get }
  var portuguese: String { get }
  var spanish: String { get }
  var turkish: String { get }
  var italian: String { get }
  var japanese: String { get }
}

extension MessageTopic {
  func text(in language: Language) -> String {
    switch language {
    case .english: english
    case .portuguese: portuguese
    case .spanish: spanish
    case .turkish: turkish
    case .italian: italian
    case .japanese: japanese
    }
  }
}
