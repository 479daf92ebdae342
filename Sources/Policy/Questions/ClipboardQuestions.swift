import Model

/// What is copied or pasted.
package enum ClipboardContent: Hashable, Sendable {
  case text(String)
  case data([UInt8])

  package var isEmpty: Bool {
    switch self {
    case .text(let text): text.isEmpty
    case .data(let bytes): bytes.isEmpty
    }
  }

  /// What counts as so many characters: UTF-16 units, as in an NSString, in which nothing hides. Nil for bytes.
  var length: Int64? {
    if case .text(let text) = self { Int64(text.utf16.count) } else { nil }
  }
}

extension PolicyQuestions {
  /// How does what is copied from this account's data get onto the clipboard?
  package func copying(_ content: ClipboardContent) -> Decision<ClipboardForm> {
    guard let policy else { return Decision(.plain, .unmanaged) }
    let setting = SettingName.allowedOutboundClipboardSharingLevel
    if content.isEmpty { return Decision(.plain, .nothingCopied) }
    switch policy.clipboard {
    case nil: return Decision(.plain, .nothingRestricts)
    case .allApps: return Decision(.plain, .allAppsAllowed, setting)
    case _ where policy.excepts(content): return .shortEnough(.plain)
    case .managedApps, .managedAppsWithPasteIn: return Decision(.protected, .managedAppsOnly, setting)
    case .blocked: return Decision(.protected, .thisAppOnly, setting)
    }
  }

  /// May this account have what another app, or another account, has copied? `owner` is whose protected content it is;
  /// nil and "" for nobody's. An owner that is another managed account must let it go. `isOfThisApp` says whether it was
  /// protected for this app alone.
  package func pasting(
    _ content: ClipboardContent, of owner: AccountReference?, isOfThisApp: Bool = false,
    in accounts: some AccountPolicies
  ) -> Decision<Bool> {
    let origin = origin(owner, in: accounts)
    return origin.deciding(pasting(content, origin, isOfThisApp: isOfThisApp)) { sender, owner in
      sender.letsPaste(intoManagedAccount: policy != nil, owner)
    }
  }

  private func pasting(
    _ content: ClipboardContent, _ origin: DataOrigin, isOfThisApp: Bool
  ) -> Decision<Bool> {
    guard let policy else { return Decision(true, .unmanaged) }
    let isManaged = origin.policy != nil
    if content.isEmpty { return Decision(true, .nothingCopied) }
    let setting = SettingName.allowedOutboundClipboardSharingLevel
    return switch policy.clipboard {
    case nil: Decision(true, .nothingRestricts)
    case .allApps: Decision(true, .allAppsAllowed, setting)
    case .managedAppsWithPasteIn: Decision(true, .pasteInAllowed, setting)
    case _ where !isManaged && policy.excepts(content): .shortEnough(true)
    case .blocked where isOfThisApp && origin.isOwn: Decision(true, .copiedInThisApp, setting)
    case .blocked: Decision(false, .noAppAllowed, setting)
    case .managedApps where isManaged && origin.isOwn: Decision(true, .ownData, setting)
    case .managedApps: Decision(isManaged, isManaged ? .managedData : .unmanagedData, setting)
    }
  }
}

extension CompiledPolicy {
  /// As the SDK does in both directions: what is let out as it is must be able to come back.
  fileprivate func excepts(_ content: ClipboardContent) -> Bool {
    content.length.map { $0 <= actions.clipboardException } ?? false
  }

  fileprivate func letsPaste(intoManagedAccount isManaged: Bool, _ owner: AccountReference) -> Decision<Bool> {
    let mayGo =
      switch clipboard {
      case nil, .allApps: true
      case .managedApps, .managedAppsWithPasteIn: isManaged
      case .blocked: false
      }
    return Decision(
      mayGo, mayGo ? .dataOwnerAllows : .dataOwnerBlocks, .allowedOutboundClipboardSharingLevel, by: .dataOwner, owner)
  }
}

extension Decision {
  fileprivate static func shortEnough(_ value: Value) -> Decision {
    Decision(value, .shortEnough, .allowedOutboundClipboardSharingExceptionLength)
  }
}
