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
  package var refusal: UserNotice? {
    incoming.map { UserNotice(.sharing(.incomingTitle), .sharing($0)) }
      ?? outgoing.map { UserNotice(.sharing(.outgoingTitle), .sharing($0)) }
      ?? feature.map { UserNotice(.sharing(.blockedTitle), .sharing($0)) }
  }

  private var incoming: SharingMessage? {
    switch (rule, setting) {
    case (.hostDoesNotSwitch, _): .incomingNotSwitched
    case (.ownerNotManagedHere, _), (.noKeyInThisApp, _): .incomingBlocked
    case (.dataOwnerBlocks, _): .incomingOfOtherAccount
    case (.noAppAllowed, .allowedInboundDataTransferSources): .incomingDisallowed
    case (.unmanagedData, .allowedInboundDataTransferSources): .incomingRestricted
    case (_, .blockDataIngestionIntoOrganizationDocuments), (_, .allowedDataIngestionLocations): .incomingRestricted
    default: nil
    }
  }

  private var outgoing: SharingMessage? {
    switch (rule, setting) {
    case (.screenCaptureFollowsSending, _): nil
    case (.noAppAllowed, .allowedOutboundDataTransferDestinations): .outgoingBlocked
    case (_, .allowedOutboundDataTransferDestinations), (.receiverBlocks, _), (.otherAccountBlocks, _):
      .outgoingRestricted
    case (_, .saveAsBlocked), (_, .allowedDataStorageLocations): .saving
    default: nil
    }
  }

  private var feature: SharingMessage? {
    switch setting {
    case .printBlocked: .printing
    case .dictationBlocked: .dictation
    case .thirdPartyKeyboardsBlocked, .keyboardsRestricted: .keyboard
    case .managedBrowserToOpenLinksRequired: .edgeRequired
    case .customBrowserProtocol: .browserRequired
    case .customDialerAppProtocol: .dialerRequired
    default: nil
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
