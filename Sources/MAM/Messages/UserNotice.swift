/// A message with its title, and what it is about in particular.
struct UserNotice: Hashable, Sendable {
  let title: UserMessage
  let message: UserMessage
  /// Such as a version: stands in parentheses.
  var detail: String?
  /// Where the app is updated: an address, or "CompanyPortal".
  var appStore: String?

  func text(in language: Language = .english) -> String {
    [detailed(in: language), update(in: language)].compactMap { $0 }.joined(separator: " ")
  }

  private func detailed(in language: Language) -> String {
    message.text(in: language) + (detail.map { " (\($0))" } ?? "")
  }

  private func update(in language: Language) -> String? {
    guard let appStore else { return nil }
    if appStore.lowercasedASCII == "companyportal" { return UserMessage.updateInPortalMessage.text(in: language) }
    return "\(UserMessage.updateAtMessage.text(in: language)) \(appStore)"
  }
}
