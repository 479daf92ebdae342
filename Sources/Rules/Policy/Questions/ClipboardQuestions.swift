import Model

/// Content that is copied or pasted.
package struct ClipboardContent: Hashable, Sendable {
  package let bytes: [UInt8]
  /// The length in UTF-16 units, as in an NSString; nil for bytes. Combined characters cannot hide text from this count.
  let length: Int64?

  package var isEmpty: Bool { bytes.isEmpty }

  package static func data(_ bytes: [UInt8]) -> ClipboardContent { ClipboardContent(bytes: bytes, length: nil) }

  /// Pass `bytes` if the text stands for other bytes, as protected text does; nil uses the text's own UTF-8.
  package static func text(_ text: String, bytes: [UInt8]? = nil) -> ClipboardContent {
    ClipboardContent(bytes: bytes ?? Array(text.utf8), length: Int64(text.utf16.count))
  }
}

extension PolicyQuestions {
  /// In which form content copied from this account's data gets onto the clipboard.
  package func copying(_ content: ClipboardContent) -> Decision<ClipboardForm> {
    if isLockedDown { return .lockedDown(LockDown.copying) }
    guard let policy else { return Decision(.plain, .unmanaged) }
    if content.isEmpty { return Decision(.plain, .nothingCopied) }
    let level = policy.clipboard
    if let general = level.general, general.value { return general.map { _ in .plain }.leaving(.clipboard) }
    if policy.excepts(content) { return .shortEnough(.plain) }
    return Decision(.protected, level.admitsNoApp ? .thisAppOnly : .managedAppsOnly, level.setting)
  }

  /// Whether this account may paste the content. `owner` is the owner of protected content; nil and "" are content without
  /// an owner. If the owner is another managed account, its policy must allow this too. `isOfThisApp` says whether the
  /// content was protected for this app alone.
  package func pasting(
    _ content: ClipboardContent, of owner: AccountReference?, isOfThisApp: Bool = false,
    in accounts: some AccountPolicies
  ) -> Decision<Bool> {
    if isLockedDown { return .lockedDown(LockDown.isPastingAllowed) }
    let origin = origin(owner, in: accounts)
    let own = pasting(content, origin, isOfThisApp: isOfThisApp)
    guard own.value, !origin.isOwn, let owner = origin.owner, let sender = origin.policy else { return own }
    return sender.clipboard.forAccount(isManaged: policy != nil, of: owner)
  }

  private func pasting(
    _ content: ClipboardContent, _ origin: DataOrigin, isOfThisApp: Bool
  ) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    if content.isEmpty { return Decision(true, .nothingCopied) }
    let level = policy.clipboard
    if let general = level.general, general.value { return general.leaving(.clipboard) }
    if policy.takesPastesOfAllApps { return Decision(true, .pasteInAllowed, level.setting) }
    if origin.policy == nil, policy.excepts(content) { return .shortEnough(true) }
    if level.admitsNoApp, isOfThisApp, origin.isOwn { return Decision(true, .copiedInThisApp, level.setting) }
    return level.forData(of: origin)
  }
}

extension CompiledPolicy {
  /// Applies in both directions, as in the SDK: content that leaves unprotected must be able to come back.
  fileprivate func excepts(_ content: ClipboardContent) -> Bool {
    content.length.map { $0 <= actions.clipboardException } ?? false
  }
}

extension Decision {
  fileprivate static func shortEnough(_ value: Value) -> Decision {
    Decision(value, .shortEnough, .allowedOutboundClipboardSharingExceptionLength)
  }
}
