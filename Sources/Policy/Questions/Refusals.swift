import Model

extension UserNotice {
  package func refusal(in language: Language) -> Refusal {
    Refusal(title: title.text(in: language), message: message.text(in: language))
  }
}

extension Explicable {
  /// What the user is told where the answer is a refusal; nil where no message is about it.
  package func refusal(in language: Language) -> Refusal? {
    reasons.first?.refusal?.refusal(in: language)
  }
}

extension Reason {
  /// Where that is why something is refused; nil where no message is about it.
  package var refusal: UserNotice? { message.map { UserNotice(.sharing($0.title), .sharing($0)) } }

  /// The rule's, where it has one, else the setting's.
  private var message: SharingMessage? {
    switch (rule, setting) {
    case (.hostDoesNotSwitch, _): .incomingNotSwitched
    case (.ownerNotManagedHere, _), (.noKeyInThisApp, _): .incomingBlocked
    case (.dataOwnerBlocks, _): .incomingOfOtherAccount
    case (.noAppAllowed, .allowedInboundDataTransferSources): .incomingDisallowed
    case (.unmanagedData, .allowedInboundDataTransferSources): .incomingRestricted
    case (.noAppAllowed, .allowedOutboundDataTransferDestinations): .outgoingBlocked
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

  /// Of text that would be short enough if it were shorter, how long it may be.
  private func clipboardText(_ content: ClipboardContent, _ tooLong: SharingMessage) -> UserText {
    let exception = policy?.actions.clipboardException ?? 0
    guard exception > 0, content.length != nil else { return UserText(.sharing(.clipboardBlocked)) }
    return UserText(.sharing(tooLong), "\(exception)")
  }
}
