import Model

/// A notification as it may be shown.
package struct ShownNotification: Hashable, Sendable {
  package let isShown: Bool
  package let title: String
  package let body: String
}

extension PolicyQuestions {
  /// What is left of a notification about this account's data: all of it, words of our own, or nothing.
  package func redact(title: String, body: String, in language: Language) -> Decision<ShownNotification> {
    notificationPolicy.map { policy in
      switch policy {
      case .allow: ShownNotification(isShown: true, title: title, body: body)
      case .blockOrgData:
        ShownNotification(
          isShown: true, title: AlertMessage.notificationTitle.text(in: language),
          body: AlertMessage.notificationMessage.text(in: language))
      case .block: ShownNotification(isShown: false, title: "", body: "")
      }
    }
  }
}
