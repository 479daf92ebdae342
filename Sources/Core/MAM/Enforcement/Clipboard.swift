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
  let live: LiveState
  let protection: Protection
  /// Whether copies are protected, which can create keys.
  let isProtecting: Bool

  /// Copies content of an account, or of a view. Content that only managed apps may have is protected for the account;
  /// content that no other app may have is protected for the account in this app alone. `language` is that of the
  /// refusal.
  ///
  /// Throws like `protect` if the content must be protected.
  package func copy(
    _ content: ClipboardContent, for reference: AccountReference?, sharing view: SharedView? = nil,
    in language: Language, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Decision<Copy>> {
    guard case .now(let state) = try live.state(within: reach) else { return .needsDisk }
    let questions = try state.questions(about: reference, sharing: view)
    let decision = questions.copying(content)
    var copied: [UInt8]?
    switch decision.value {
    case .plain: copied = content.bytes
    case .protected where isProtecting:
      let protected = try protection.protect(
        content.bytes, for: questions.account, forThisApp: decision.rule == .thisAppOnly, reach)
      guard case .now(let bytes) = protected else { return .needsDisk }
      copied = bytes
    case .protected, .blocked: break
    }
    let notice = decision.value == .blocked ? questions.clipboardRefusal(copying: content) : nil
    return .now(decision.map { Copy(form: $0, bytes: copied, refusal: notice?.refusal(in: language)) })
  }

  /// Pastes content that was copied here or in another managed app, unless another app protected it for itself alone.
  /// Throws like `unprotect` if the content is damaged. `language` is that of the refusal.
  package func paste(
    _ content: ClipboardContent, for reference: AccountReference?, sharing view: SharedView? = nil,
    in language: Language, _ reach: KeyReach
  ) throws(MAMError) -> MemoryAnswer<Decision<Paste>> {
    guard case .now(let state) = try live.state(within: reach) else { return .needsDisk }
    let questions = try state.questions(about: reference, sharing: view)
    if questions.isLockedDown {
      let decision = questions.pasting(content, of: nil, in: state)
      return .now(.refused(decision, questions.clipboardRefusal(pasting: content), in: language))
    }
    guard case .now(let sealed) = try sealed(content, reach) else { return .needsDisk }
    if let sealed, sealed.seal != .owned, !state.mayRead(sealed.owner) {
      return .now(.refused(Decision(false, .ownerNotManagedHere), in: language))
    }
    if sealed?.seal == .unknown { return .now(.refused(Decision(false, .noKeyInThisApp), in: language)) }
    let decision = questions.pasting(
      content, of: sealed?.owner.account.reference, isOfThisApp: sealed?.seal == .thisApp, in: state)
    guard decision.value else {
      let isForeign = decision.rule == .dataOwnerBlocks
      return .now(.refused(decision, isForeign ? nil : questions.clipboardRefusal(pasting: content), in: language))
    }
    let opened = try sealed != nil ? protection.unprotect(content.bytes, reach) : .now(content.bytes)
    return opened.map { bytes in decision.map { _ in Paste(bytes: bytes, refusal: nil) } }
  }

  private typealias Sealed = (owner: DataOwner, seal: DataProtection.Seal)

  /// The owner of protected content, and who has its key. The answer is `nil` if the content was never protected.
  private func sealed(_ content: ClipboardContent, _ reach: KeyReach) throws(MAMError) -> MemoryAnswer<Sealed?> {
    guard !content.isEmpty else { return .now(nil) }
    guard case .now(let (protection, _)) = try protection.open(reach, content.bytes.count) else {
      return .needsDisk
    }
    guard let owner = try protection.owner(of: content.bytes) else { return .now(nil) }
    return try protection.seal(of: content.bytes, reach).map { seal in (owner, seal) }
  }
}

extension Decision<Paste> {
  fileprivate static func refused(
    _ decision: Decision<Bool>, _ notice: UserNotice? = nil, in language: Language
  ) -> Self {
    let notice = notice ?? Reason(decision).refusal
    return decision.map { _ in Paste(bytes: nil, refusal: notice?.refusal(in: language)) }
  }
}
