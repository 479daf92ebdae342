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

  /// With where the app is updated: an address, or "CompanyPortal"; nil for nowhere in particular.
  package func updating(at appStore: String?) -> UserNotice {
    guard let appStore else { return self }
    let isPortal = appStore.lowercasedASCII == "companyportal"
    let way = isPortal ? UserText(.version(.updateInPortal)) : UserText(.version(.updateAt), appStore)
    return UserNotice(title, message.followed(by: way))
  }
}
