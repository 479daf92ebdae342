import Model

/// Who holds for a call, and where that comes from.
package struct EffectiveIdentity: Sendable {
  package enum Source: Sendable {
    /// The call names the account itself.
    case named
    case thread(String)
    case window(String)
    /// The identity of thread main, which wins over that of the window.
    case mainThread(over: String)
    case process
    /// Nobody was set anywhere, so that the enrolled account holds, in a multi-identity app nobody.
    case unset
  }

  /// Nil where no identity is set.
  package let account: AccountReference?
  package let source: Source

  package init(_ account: AccountReference?, _ source: Source) {
    self.account = account
    self.source = source
  }
}
