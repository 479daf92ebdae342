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
  /// content that no other app may have is protected for the account in this app alone. Under an assumption, nothing is
  /// protected, because that could create keys. `nil` if the answer is not in memory.
  ///
  /// Throws like `protect` if the content must be protected.
  package func copy(
    _ content: ClipboardContent, for reference: AccountReference?, sharing view: SharedView? = nil, _ reach: KeyReach
  ) throws(MAMError) -> Decision<Copy>? {
    guard let state = try state(reach) else { return nil }
    let questions = try state.questions(about: reference, sharing: view)
    let decision = questions.copying(content)
    var copied: [UInt8]?
    switch decision.value {
    case .plain: copied = content.bytes
    case .protected where CallOrigin.current?.assumption != nil: break
    case .protected:
      copied = try core.protection.protect(
        content.bytes, for: questions.account, forThisApp: decision.rule == .thisAppOnly, reach)
      guard copied != nil else { return nil }
    case .blocked: break
    }
    let notice = decision.value == .blocked ? questions.clipboardRefusal(copying: content) : nil
    return decision.map { Copy(form: $0, bytes: copied, refusal: notice?.refusal(in: core.language)) }
  }

  /// Pastes content that was copied here or in another managed app, unless another app protected it for itself alone.
  /// Throws like `unprotect` if the content is damaged. `nil` if the answer is not in memory.
  package func paste(
    _ content: ClipboardContent, for reference: AccountReference?, sharing view: SharedView? = nil, _ reach: KeyReach
  ) throws(MAMError) -> Decision<Paste>? {
    guard let state = try state(reach) else { return nil }
    let questions = try state.questions(about: reference, sharing: view)
    if questions.isLockedDown {
      return refused(questions.pasting(content, of: nil, in: state), questions.clipboardRefusal(pasting: content))
    }
    guard let sealed = try content.isEmpty ? .some(nil) : owner(of: content.bytes, reach) else { return nil }
    if let sealed, sealed.seal != .owned, !state.mayRead(sealed.owner) {
      return refused(Decision(false, .ownerNotManagedHere))
    }
    if sealed?.seal == .unknown { return refused(Decision(false, .noKeyInThisApp)) }
    let decision = questions.pasting(
      content, of: sealed?.owner.account.reference, isOfThisApp: sealed?.seal == .thisApp, in: state)
    guard decision.value else {
      let isForeign = decision.rule == .dataOwnerBlocks
      return refused(decision, isForeign ? nil : questions.clipboardRefusal(pasting: content))
    }
    guard let pasted = try sealed != nil ? core.protection.unprotect(content.bytes, reach) : content.bytes else {
      return nil
    }
    return decision.map { _ in Paste(bytes: pasted, refusal: nil) }
  }

  private func refused(_ decision: Decision<Bool>, _ notice: UserNotice? = nil) -> Decision<Paste> {
    let notice = notice ?? Reason(decision).refusal
    return decision.map { _ in Paste(bytes: nil, refusal: notice?.refusal(in: core.language)) }
  }

  /// `nil` if memory is not up to date and the disk is out of reach.
  private func state(_ reach: KeyReach) throws(MAMError) -> CoreState? {
    guard reach == .disk else { return core.currentState }
    try core.refresh()
    return core.state
  }

  private typealias Sealed = (owner: DataOwner, seal: DataProtection.Seal)

  /// The inner optional is `nil` if the bytes were never protected, the outer one if the answer is not in memory.
  private func owner(of bytes: [UInt8], _ reach: KeyReach) throws(MAMError) -> Sealed?? {
    guard let protection = try core.protection.open(reach, bytes.count)?.protection else { return nil }
    guard let owner = try protection.owner(of: bytes) else { return .some(nil) }
    guard let seal = try protection.seal(of: bytes, reach) else { return nil }
    return (owner, seal)
  }
}
