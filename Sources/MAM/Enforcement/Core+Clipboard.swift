import Model

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

extension Core {
  /// Copies an account's content. What only managed apps may have is protected for the account.
  ///
  /// Throws as `protect` where it must be protected.
  package func copy(
    _ content: ClipboardContent, for reference: AccountReference?
  ) throws(MAMError) -> Decision<Copy> {
    try refresh()
    let questions = try state.questions(about: reference)
    let decision = questions.copying(content)
    let copied: ClipboardContent? =
      switch (decision.value, content) {
      case (.plain, _): content
      case (.protected, .text(let text)): .text(try protect(text, for: questions.account))
      case (.protected, .data(let bytes)): .data(try protect(bytes, for: questions.account))
      case (.blocked, _): nil
      }
    let notice = decision.value == .blocked ? questions.clipboardRefusal(copying: content) : nil
    return decision.map { Copy(form: $0, content: copied, refusal: notice?.refusal(in: language)) }
  }

  /// Pastes what was copied here or in another managed app. Throws as `unprotect` for content that is damaged.
  package func paste(
    _ content: ClipboardContent, for reference: AccountReference?
  ) throws(MAMError) -> Decision<Paste> {
    try refresh()
    let questions = try state.questions(about: reference)
    let owner = content.isEmpty ? nil : try owner(of: content)
    if let owner, owner.isEncrypted, !state.mayRead(owner.owner) {
      return refused(Decision(false, .ownerNotManagedHere))
    }
    let decision = questions.pasting(content, of: owner?.owner.account.reference, in: state)
    guard decision.value else {
      let isForeign = decision.rule == .dataOwnerBlocks
      return refused(decision, isForeign ? nil : questions.clipboardRefusal(pasting: content))
    }
    let pasted = try owner != nil ? unprotect(content) : content
    return decision.map { _ in Paste(content: pasted, refusal: nil) }
  }

  private func refused(_ decision: Decision<Bool>, _ notice: UserNotice? = nil) -> Decision<Paste> {
    let notice = notice ?? Reason(decision).refusal
    return decision.map { _ in Paste(content: nil, refusal: notice?.refusal(in: language)) }
  }

  private func owner(
    of content: ClipboardContent
  ) throws(MAMError) -> (owner: DataOwner, isEncrypted: Bool)? {
    let protection = try openDataProtection().protection
    switch content {
    case .text(let text):
      guard let owner = try protection.owner(of: text) else { return nil }
      return (owner, try protection.isEncrypted(text))
    case .data(let bytes):
      guard let owner = try protection.owner(of: bytes) else { return nil }
      return (owner, try protection.isEncrypted(bytes))
    }
  }

  private func unprotect(_ content: ClipboardContent) throws(MAMError) -> ClipboardContent {
    switch content {
    case .text(let text): .text(try unprotect(text))
    case .data(let bytes): .data(try unprotect(bytes))
    }
  }
}
