import Model
import Policy
import Vault

/// What gets onto the clipboard: nothing where that is blocked.
package struct Copy: Sendable {
  package let form: ClipboardForm
  package let content: ClipboardContent?
  package let refusal: Refusal?
}

/// What a paste puts in: nothing where that is blocked.
package struct Paste: Sendable {
  package let content: ClipboardContent?
  package let refusal: Refusal?
}

/// What is copied and pasted.
package struct Clipboard: Sendable {
  let core: Core

  /// Copies an account's content. What only managed apps may have is protected for the account, what no other app may have
  /// for the account in this app.
  ///
  /// Throws as `protect` where it must be protected.
  package func copy(
    _ content: ClipboardContent, for reference: AccountReference?
  ) throws(MAMError) -> Decision<Copy> {
    try core.refresh()
    let questions = try core.state.questions(about: reference)
    let decision = questions.copying(content)
    let isForThisApp = decision.rule == .thisAppOnly
    let copied: ClipboardContent? =
      switch (decision.value, content) {
      case (.plain, _): content
      case (.protected, .text(let text)):
        .text(try core.protection.protect(text, for: questions.account, forThisApp: isForThisApp))
      case (.protected, .data(let bytes)):
        .data(try core.protection.protect(bytes, for: questions.account, forThisApp: isForThisApp))
      case (.blocked, _): nil
      }
    let notice = decision.value == .blocked ? questions.clipboardRefusal(copying: content) : nil
    return decision.map { Copy(form: $0, content: copied, refusal: notice?.refusal(in: core.language)) }
  }

  /// Pastes what was copied here or in another managed app, but for what another app protected for itself alone. Throws as `unprotect` for content that is damaged.
  package func paste(
    _ content: ClipboardContent, for reference: AccountReference?
  ) throws(MAMError) -> Decision<Paste> {
    try core.refresh()
    let questions = try core.state.questions(about: reference)
    let owner = content.isEmpty ? nil : try owner(of: content)
    if let owner, owner.seal != .owned, !core.state.mayRead(owner.owner) {
      return refused(Decision(false, .ownerNotManagedHere))
    }
    if owner?.seal == .unknown { return refused(Decision(false, .noKeyInThisApp)) }
    let decision = questions.pasting(
      content, of: owner?.owner.account.reference, isOfThisApp: owner?.seal == .thisApp, in: core.state)
    guard decision.value else {
      let isForeign = decision.rule == .dataOwnerBlocks
      return refused(decision, isForeign ? nil : questions.clipboardRefusal(pasting: content))
    }
    let pasted = try owner != nil ? unprotect(content) : content
    return decision.map { _ in Paste(content: pasted, refusal: nil) }
  }

  private func refused(_ decision: Decision<Bool>, _ notice: UserNotice? = nil) -> Decision<Paste> {
    let notice = notice ?? Reason(decision).refusal
    return decision.map { _ in Paste(content: nil, refusal: notice?.refusal(in: core.language)) }
  }

  private func owner(
    of content: ClipboardContent
  ) throws(MAMError) -> (owner: DataOwner, seal: DataProtection.Seal)? {
    let protection = try core.protection.open().protection
    switch content {
    case .text(let text):
      guard let owner = try protection.owner(of: text) else { return nil }
      return (owner, try protection.seal(of: text))
    case .data(let bytes):
      guard let owner = try protection.owner(of: bytes) else { return nil }
      return (owner, try protection.seal(of: bytes))
    }
  }

  private func unprotect(_ content: ClipboardContent) throws(MAMError) -> ClipboardContent {
    switch content {
    case .text(let text): .text(try core.protection.unprotect(text))
    case .data(let bytes): .data(try core.protection.unprotect(bytes))
    }
  }
}
