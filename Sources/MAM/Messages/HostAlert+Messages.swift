extension HostAlert {
  init(_ title: UserMessage, _ message: UserMessage, action: UserMessage, window: String? = nil) {
    self.init(title: title.text(), message: message.text(), actions: [action.text()], window: window)
  }
}

extension Core {
  /// Tells the user of a window that data may not be shared. Nothing depends on what the user chooses, so nobody waits
  /// for it.
  package func showSharingBlocked(in window: String?) {
    let alert = HostAlert(
      .sharingBlockedTitle, .sharingBlockedMessage, action: .sharingBlockedAction, window: window)
    Task { [host] in _ = await host.showAlert(alert) }
  }

  /// What to tell the user when the application must be restarted.
  package static var restartMessage: String { UserMessage.restartMessage.text() }
}
