import Model
import Policy
import Vault

/// What a copy puts on the clipboard: nothing if it is blocked.
package struct Copy: Sendable {
  package let form: ClipboardForm
  package let bytes: [UInt8]?
  package let refusal: Refusal?
}

/// What a paste inserts: nothing if it is blocked.
package struct Paste: Sendable {
  package let bytes: [UInt8]?
  package let refusal: Refusal?
}

/// Copies and pastes.
package struct Clipboard: Sendable {
  let core: Core

  /// Copies content of an account, or of a view. Content that only managed apps may have is protected for the account;
  /// content that no other app may have is protected for the account in this app alone.
  ///
  /// Throws like `protect` if the content must be protected.
  package func copy(
    _ content: ClipboardContent, for reference: AccountReference?, sharing view: SharedView? = nil
  ) throws(MAMError) -> Decision<Copy> {
    try core.refresh()
    let questions = try core.state.questions(about: reference, sharing: view)
    let decision = questions.copying(content)
    let copied: [UInt8]? =
      switch decision.value {
      case .plain: content.bytes
      case .protected:
        try core.protection.protect(
          content.bytes, for: questions.account, forThisApp: decision.rule == .thisAppOnly)
      case .blocked: nil
      }
    let notice = decision.value == .blocked ? questions.clipboardRefusal(copying: content) : nil
    return decision.map { Copy(form: $0, bytes: copied, refusal: notice?.refusal(in: core.language)) }
  }

  /// Pastes content that was copied here or in another managed app, unless another app protected it for itself alone.
  /// Throws like `unprotect` if the content is damaged.
  package func paste(
    _ content: ClipboardContent, for reference: AccountReference?, sharing view: SharedView? = nil
  ) throws(MAMError) -> Decision<Paste> {
    try core.refresh()
    let questions = try core.state.questions(about: reference, sharing: view)
    if questions.isLockedDown {
      return refused(questions.pasting(content, of: nil, in: core.state), questions.clipboardRefusal(pasting: content))
    }
    let owner = content.isEmpty ? nil : try owner(of: content.bytes)
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
    let pasted = try owner != nil ? core.protection.unprotect(content.bytes) : content.bytes
    return decision.map { _ in Paste(bytes: pasted, refusal: nil) }
  }

  private func refused(_ decision: Decision<Bool>, _ notice: UserNotice? = nil) -> Decision<Paste> {
    let notice = notice ?? Reason(decision).refusal
    return decision.map { _ in Paste(bytes: nil, refusal: notice?.refusal(in: core.language)) }
  }

  private func owner(
    of bytes: [UInt8]
  ) throws(MAMError) -> (owner: DataOwner, seal: DataProtection.Seal)? {
    let protection = try core.protection.open().protection
    guard let owner = try protection.owner(of: bytes) else { return nil }
    return (owner, try protection.seal(of: bytes))
  }
}
