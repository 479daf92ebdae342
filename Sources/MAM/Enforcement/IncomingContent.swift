import Model

/// What another app hands to this one.
package struct IncomingContent: Sendable {
  package enum Content: Sendable {
    case url(AbsoluteURL)
    case files([AbsolutePath])
    case item(ItemProvider)
  }

  package let content: Content
  /// The account that the other app acts for; nil for nobody.
  package let sender: AccountReference?
  /// Whether that account is managed in the other app.
  package let isSenderManaged: Bool

  package init(_ content: Content, from sender: AccountReference?, isManaged: Bool) {
    self.content = content
    self.sender = sender
    isSenderManaged = isManaged
  }

  var switchReason: IdentitySwitchReason {
    if case .url = content { .openURL } else { .documentImport }
  }

  /// Whose what carries no owner of its own is; an unmanaged app's data is nobody's.
  var owner: AccountReference? { isSenderManaged ? sender : nil }
}

/// Whether incoming content may be used, and whose it is.
package struct Reception: Sendable {
  package let isAllowed: Bool
  /// "No user" for nobody's.
  package let owner: AccountReference
  package let refusal: Refusal?
}
