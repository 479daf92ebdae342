import Model

/// What is copied or pasted.
package struct ClipboardContent: Hashable, Sendable {
  package let bytes: [UInt8]
  /// What counts as so many characters: UTF-16 units, as in an NSString, in which nothing hides. Nil for bytes.
  let length: Int64?

  package var isEmpty: Bool { bytes.isEmpty }

  package static func data(_ bytes: [UInt8]) -> ClipboardContent { ClipboardContent(bytes: bytes, length: nil) }

  /// `bytes` are those of a text that stands for others, as protected ones; nil for its own.
  package static func text(_ text: String, bytes: [UInt8]? = nil) -> ClipboardContent {
    ClipboardContent(bytes: bytes ?? Array(text.utf8), length: Int64(text.utf16.count))
  }
}

extension PolicyQuestions {
  /// How does what is copied from this account's data get onto the clipboard?
  package func copying(_ content: ClipboardContent) -> Decision<ClipboardForm> {
    guard let policy else { return Decision(.plain, .unmanaged) }
    if content.isEmpty { return Decision(.plain, .nothingCopied) }
    let level = policy.clipboard
    if let general = level.general, general.value { return general.map { _ in .plain } }
    if policy.excepts(content) { return .shortEnough(.plain) }
    return Decision(.protected, level.admitsNoApp ? .thisAppOnly : .managedAppsOnly, level.setting)
  }

  /// May this account have what another app, or another account, has copied? `owner` is whose protected content it is;
  /// nil and "" for nobody's. An owner that is another managed account must let it go. `isOfThisApp` says whether it was
  /// protected for this app alone.
  package func pasting(
    _ content: ClipboardContent, of owner: AccountReference?, isOfThisApp: Bool = false,
    in accounts: some AccountPolicies
  ) -> Decision<Bool> {
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
    if let general = level.general, general.value { return general }
    if policy.takesPastesOfAllApps { return Decision(true, .pasteInAllowed, level.setting) }
    if origin.policy == nil, policy.excepts(content) { return .shortEnough(true) }
    if level.admitsNoApp, isOfThisApp, origin.isOwn { return Decision(true, .copiedInThisApp, level.setting) }
    return level.forData(of: origin)
  }
}

extension CompiledPolicy {
  /// As the SDK does in both directions: what is let out as it is must be able to come back.
  fileprivate func excepts(_ content: ClipboardContent) -> Bool {
    content.length.map { $0 <= actions.clipboardException } ?? false
  }
}

extension Decision {
  fileprivate static func shortEnough(_ value: Value) -> Decision {
    Decision(value, .shortEnough, .allowedOutboundClipboardSharingExceptionLength)
  }
}
