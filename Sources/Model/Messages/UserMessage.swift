/// What users are told: the one list of messages, under the names that the SDK's resources have for them.
///
/// The texts are our own.
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

  /// `detail` stands where the text has `#` for it.
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

  /// Nil for a name that this version does not know.
  package init?(key: String) {
    guard let message = Self.allCases.first(where: { $0.key == key }) else { return nil }
    self = message
  }
}
