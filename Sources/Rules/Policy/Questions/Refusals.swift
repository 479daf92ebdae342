import Model

extension UserNotice {
  package func refusal(in language: Language) -> Refusal {
    Refusal(title: title.text(in: language), message: message.text(in: language))
  }
}

extension Explicable {
  /// The message to the user if the answer is a refusal; nil if there is none.
  package func refusal(in language: Language) -> Refusal? {
    reasons.first?.refusal?.refusal(in: language)
  }
}

extension Reason {
  /// The message to the user if this is why something is refused; nil if there is none.
  package var refusal: UserNotice? { message.map { UserNotice(.sharing($0.title), .sharing($0)) } }

  /// The message of the rule if it has one, else of the setting.
  private var message: SharingMessage? {
    switch (rule, setting) {
    case (.lockDown, _): .blockedMessage
    case (.hostDoesNotSwitch, _): .incomingNotSwitched
    case (.ownerNotManagedHere, _), (.noKeyInThisApp, _): .incomingBlocked
    case (.dataOwnerBlocks, _): .incomingOfOtherAccount
    case (.noAppAllowed, .allowedInboundDataTransferSources),
      (.outsideOrganization, .allowedInboundDataTransferSources):
      .incomingDisallowed
    case (.unmanagedData, .allowedInboundDataTransferSources): .incomingRestricted
    case (.noAppAllowed, .allowedOutboundDataTransferDestinations),
      (.outsideOrganization, .allowedOutboundDataTransferDestinations):
      .outgoingBlocked
    case (.screenCaptureFollowsSending, _): nil
    case (.receiverBlocks, _): .outgoingRestricted
    case (.otherAccountBlocks, _): ofSetting == .incomingRestricted ? .incomingRestricted : .outgoingRestricted
    default: ofSetting
    }
  }

  private var ofSetting: SharingMessage? { setting?.definition.refusal }
}

extension SharingMessage {
  fileprivate var title: SharingMessage {
    switch self {
    case .incomingNotSwitched, .incomingBlocked, .incomingOfOtherAccount, .incomingDisallowed, .incomingRestricted:
      .incomingTitle
    case .outgoingBlocked, .outgoingRestricted, .saving: .outgoingTitle
    default: .blockedTitle
    }
  }
}

extension PolicyQuestions {
  package func clipboardRefusal(copying content: ClipboardContent) -> UserNotice {
    UserNotice(.sharing(.outgoingTitle), clipboardText(content, .clipboardTooLong))
  }

  package func clipboardRefusal(pasting content: ClipboardContent) -> UserNotice {
    UserNotice(.sharing(.incomingTitle), clipboardText(content, .clipboardIncomingTooLong))
  }

  /// For text that is too long, the message says how long it may be.
  private func clipboardText(_ content: ClipboardContent, _ tooLong: SharingMessage) -> UserText {
    let exception = policy?.actions.clipboardException ?? 0
    guard exception > 0, content.length != nil else { return UserText(.sharing(.clipboardBlocked)) }
    return UserText(.sharing(tooLong), "\(exception)")
  }
}
