import Model
import Policy

/// What a host has set for its windows: for each window an account, or several in one view.
struct WindowIdentities {
  private enum Shown {
    case account(AccountReference)
    case view(SharedView)
  }

  private var shown: [String: Shown] = [:]
  /// Numbers the changes, so that slow work can tell whether its window was set meanwhile.
  private var revisions: [String: Int] = [:]
  private var changes = 0

  var count: Int { shown.count }

  func isSet(_ window: String) -> Bool { shown[window] != nil }

  /// `nil` for a window without an identity of its own, and for a view.
  func account(_ window: String) -> AccountReference? {
    guard case .account(let account)? = shown[window] else { return nil }
    return account
  }

  /// `nil` unless the window shows a view.
  func view(_ window: String) -> SharedView? {
    guard case .view(let view)? = shown[window] else { return nil }
    return view
  }

  /// All accounts of the window; `nil` for a window without an identity of its own.
  func accounts(_ window: String) -> [AccountReference]? {
    switch shown[window] {
    case .account(let account): [account]
    case .view(let view): view.accounts
    case nil: nil
    }
  }

  /// The number of the change that set the window; 0 for a window without an identity of its own.
  func revision(_ window: String) -> Int { revisions[window] ?? 0 }

  /// A view of one account shows just the account, and a view of none shows no user.
  mutating func set(_ window: String, _ accounts: [AccountReference]?) {
    put(
      window,
      accounts.map { $0.count > 1 ? .view(SharedView($0)) : .account($0.first ?? .noUser) })
  }

  /// Locks the window down until it is set again. A window without an identity is locked down for the account.
  mutating func lock(_ window: String, for account: AccountReference) {
    put(window, .view(SharedView(accounts(window) ?? [account], isLocked: true)))
  }

  private mutating func put(_ window: String, _ new: Shown?) {
    changes += 1
    shown[window] = new
    revisions[window] = new == nil ? nil : changes
  }

  /// The windows that show an account, by name.
  func windows(where shows: (AccountReference) -> Bool) -> [String] {
    shown.keys.filter { accounts($0)?.contains(where: shows) ?? false }.sorted()
  }

  /// What each window shows, as the host names the accounts.
  var texts: [String: String] {
    var texts: [String: String] = [:]
    for window in shown.keys { texts[window] = accounts(window)?.map(\.text).joined(separator: ", ") }
    return texts
  }
}
