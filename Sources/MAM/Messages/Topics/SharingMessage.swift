/// Why data may not go where the user wants it.
enum SharingMessage: String, MessageTopic {
  case blockedTitle = "SharingBlockedAlert_Title"
  case blockedMessage = "SharingBlockedAlert_Message"
  case blockedAction = "SharingBlockedAlert_Action"

  case outgoingTitle = "OutgoingDataBlocked_Title"
  case outgoingBlocked = "OutgoingDataBlocked_Message"
  case outgoingRestricted = "OutgoingDataRestricted_Message"

  case incomingTitle = "IncomingDataBlocked_Title"
  case incomingBlocked = "IncomingDataDefaultBlock_Message"
  case incomingDisallowed = "IncomingDataDisallowed_Message"
  case incomingRestricted = "IncomingDataRestricted_Message"
  case incomingOfOtherAccount = "IncomingDataBlockedWithIdentityMAM_Message"
  case incomingNotSwitched = "IncomingDataBlockedIdentitySwitchFailed_Message"

  case clipboardBlocked = "ClipboardRestrictionMessage"
  /// With how many characters may be copied.
  case clipboardTooLong = "ClipboardRestrictionExceededLimitMessage"
  /// With how many characters may be pasted.
  case clipboardIncomingTooLong = "ClipboardIncomingRestrictionExceededLimitMessage"

  case printing = "PrintingBlocked_Message"
  case saving = "DownloadBlocked_Message"
  case dictation = "DictationBlocked_Message"
  case keyboard = "ThirdPartyKeyBoardBlocked_Message"

  case edgeRequired = "EdgeRequired_Message"
  case browserRequired = "AdminBrowserRequired_Message"
  case dialerRequired = "AdminDialerRequired_Message"
}
