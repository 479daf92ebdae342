import Model

extension HostAlert {
  init(_ notice: UserNotice, action: UserMessage = .alert(.ok), window: String? = nil, in language: Language) {
    self.init(
      title: notice.title.text(in: language), message: notice.message.text(in: language),
      actions: [action.text(in: language)], window: window)
  }
}

extension Core {
  /// The language in which the user is told something now: the call's, else the process's.
  package var language: Language { Language.ofCall ?? configuration.language }

  /// Tells the user of a window that data may not be shared. Nothing depends on what the user chooses, so nobody waits
  /// for it.
  package func showSharingBlocked(in window: String?) {
    let notice = UserNotice(.sharing(.blockedTitle), .sharing(.blockedMessage))
    let alert = HostAlert(notice, action: .sharing(.blockedAction), window: window, in: language)
    Task { [host] in _ = await host.showAlert(alert) }
  }

  /// What to tell the user when the application must be restarted.
  package static func restartMessage(in language: Language) -> String {
    UserMessage.alert(.restartMessage).text(in: language)
  }
}
