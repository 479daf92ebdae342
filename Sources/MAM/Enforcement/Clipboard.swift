import Model
import Policy
import Vault

/// What gets onto the clipboard: nothing where that is blocked.
package struct Copy: Sendable {
  package let form: ClipboardForm
  package let bytes: [UInt8]?
  package let refusal: Refusal?
}

/// What a paste puts in: nothing where that is blocked.
package struct Paste: Sendable {
  package let bytes: [UInt8]?
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

  /// Pastes what was copied here or in another managed app, but for what another app protected for itself alone. Throws as `unprotect` for content that is damaged.
  package func paste(
    _ content: ClipboardContent, for reference: AccountReference?
  ) throws(MAMError) -> Decision<Paste> {
    try core.refresh()
    let questions = try core.state.questions(about: reference)
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
