import Model
import Support

extension HostAlert {
  init(_ notice: UserNotice, action: UserMessage = .alert(.ok), window: String? = nil, in language: Language) {
    self.init(
      title: notice.title.text(in: language), message: notice.message.text(in: language),
      actions: [action.text(in: language)], window: window)
  }
}

/// Alerts that tell the user something without a question.
package struct UserAlerts: Sendable {
  let hosts: CurrentHost
  let language: Language

  /// Tells the user of a window that data may not be shared. Does not wait for the user's choice, because nothing
  /// depends on it.
  package func showSharingBlocked(in window: String?) {
    let notice = UserNotice(.sharing(.blockedTitle), .sharing(.blockedMessage))
    let alert = HostAlert(notice, action: .sharing(.blockedAction), window: window, in: language)
    Task(executorPreference: BlockingExecutor.shared) { [hosts] in _ = await hosts.current.showAlert(alert) }
  }

  /// Tells the user that a server is not the organization's. Returns when the host has shown the alert.
  package func showPinningFailed() async {
    let notice = UserNotice(.alert(.pinningFailedTitle), .alert(.pinningFailedMessage))
    _ = await hosts.current.showAlert(HostAlert(notice, in: language))
  }

  /// What to tell the user when the application must be restarted.
  package static func restartMessage(in language: Language) -> String {
    UserMessage.alert(.restartMessage).text(in: language)
  }
}
