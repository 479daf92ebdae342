import Model

extension PolicyQuestions {
  /// May this account's files be uploaded by a web view that is nobody's?
  package var isUploadToUnmanagedAllowed: Decision<Bool> { needsAllApps }

  /// May this account's text be pasted into a web view that is nobody's?
  package var isPasteToUnmanagedAllowed: Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    guard let clipboard = policy.clipboard else { return Decision(true, .nothingRestricts) }
    return Decision(clipboard == .allApps, .settingDecides, .allowedOutboundClipboardSharingLevel)
  }
}
