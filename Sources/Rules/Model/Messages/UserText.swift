import JSON

/// A text for a user, not yet in a language. The store keeps texts in this form, because the process that reads a text
/// may have a user with another language, and because equal questions must compare equal in every language.
package struct UserText: Hashable, Sendable {
  package struct Sentence: Hashable, Sendable {
    package let message: UserMessage
    /// A detail in the text, such as a version.
    let detail: String?
  }

  /// Each paragraph is a line of its own.
  private var paragraphs: [[Sentence]]

  package init(_ message: UserMessage, _ detail: String? = nil) {
    paragraphs = [[Sentence(message: message, detail: detail)]]
  }

  package init(lines: [UserText]) {
    paragraphs = lines.flatMap(\.paragraphs)
  }

  /// Appends the other text on the same line.
  package func followed(by other: UserText) -> UserText {
    var joined = self
    joined.paragraphs = Array(paragraphs.dropLast()) + [(paragraphs.last ?? []) + (other.paragraphs.first ?? [])]
    joined.paragraphs += other.paragraphs.dropFirst()
    return joined
  }

  /// The most specific of the messages, which is the last one.
  package var particular: UserMessage? { paragraphs.last?.last?.message }

  package func text(in language: Language) -> String {
    let lines = paragraphs.map { sentences in
      sentences.map { $0.message.text(in: language, $0.detail) }.joined(separator: language.sentenceSeparator)
    }
    return lines.joined(separator: "\n")
  }
}

/// The form in the store: the names of the messages with their details, such as
/// `[[["Set_Pin_Error"],["Passcode_Length_Required","6"]]]`.
extension UserText {
  package var stored: String {
    JSONValue.array(paragraphs.map { .array($0.map(\.jsonValue)) }).jsonText
  }

  /// `nil` if this version does not know a message.
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

/// All messages to users, with the names that they have in the SDK's resources. The texts are our own.
package enum UserMessage: Hashable, Sendable {
  case alert(AlertMessage)
  case sharing(SharingMessage)
  case account(AccountMessage)
  case pin(PINMessage)
  case compliance(ComplianceMessage)
  case version(VersionMessage)
  case device(DeviceMessage)

  var topic: any MessageTopic {
    switch self {
    case .alert(let message): message
    case .sharing(let message): message
    case .account(let message): message
    case .pin(let message): message
    case .compliance(let message): message
    case .version(let message): message
    case .device(let message): message
    }
  }

  /// The SDK's symbolic name.
  package var key: String { topic.rawValue }

  /// The text in a language. `detail` replaces the `#` in the text.
  package func text(in language: Language, _ detail: String? = nil) -> String {
    let text = topic.text(in: language)
    guard let detail else { return text }
    return text.split(separator: "#", omittingEmptySubsequences: false).joined(separator: detail)
  }
}

extension UserMessage: CaseIterable {
  package static let allCases =
    AlertMessage.allCases.map(alert) + SharingMessage.allCases.map(sharing) + AccountMessage.allCases.map(account)
    + PINMessage.allCases.map(pin) + ComplianceMessage.allCases.map(compliance) + VersionMessage.allCases.map(version)
    + DeviceMessage.allCases.map(device)

  /// `nil` if this version does not know the name.
  package init?(key: String) {
    guard let message = Self.allCases.first(where: { $0.key == key }) else { return nil }
    self = message
  }
}

/// A message with its title.
package struct UserNotice: Hashable, Sendable {
  package let title: UserMessage
  package let message: UserText

  package init(_ title: UserMessage, _ message: UserText) {
    self.title = title
    self.message = message
  }

  package init(_ title: UserMessage, _ message: UserMessage, _ detail: String? = nil) {
    self.init(title, UserText(message, detail))
  }

  /// Adds where to get the update of the app: at an address, or in the Company Portal for "CompanyPortal". `nil` adds
  /// nothing.
  package func updating(at appStore: String?) -> UserNotice {
    guard let appStore else { return self }
    let isPortal = appStore.lowercasedASCII == "companyportal"
    let way = isPortal ? UserText(.version(.updateInPortal)) : UserText(.version(.updateAt), appStore)
    return UserNotice(title, message.followed(by: way))
  }
}

/// The message to the user about something that a policy forbids, in the language of the connection.
package struct Refusal: Record, Hashable, Sendable {
  package var title: String
  package var message: String

  package init(title: String, message: String) {
    self.title = title
    self.message = message
  }

  package static let fields = Fields(
    Self.init(title:message:), Field("title", \.title, "The title of an alert."),
    Field("message", \.message, "The text of the alert."))
}
