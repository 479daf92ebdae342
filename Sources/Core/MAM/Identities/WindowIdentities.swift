import Model
import Policy

/// What a host has set for its windows: for each window an account, or several in one view.
struct WindowIdentities {
  private enum Shown {
    case account(AccountReference)
    case view(SharedView)

    init(_ accounts: [AccountReference]) {
      self = accounts.count > 1 ? .view(SharedView(accounts)) : .account(accounts.first ?? .noUser)
    }
  }

  private var shown: [String: Shown] = [:]
  /// Numbers the calls that set a window, so that slow work can tell whether a later call has set its window.
  private var revisions: [String: Int] = [:]
  private var calls = 0
  /// The accounts that a call took out of a window, or did not show there, before it ended with a challenge.
  private var hidden: [String: [AccountReference]] = [:]

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

  /// The number of the call that set the window; 0 for a window without an identity of its own.
  func revision(_ window: String) -> Int { revisions[window] ?? 0 }

  /// The number of a call that arrives now.
  mutating func nextRevision() -> Int {
    calls += 1
    return calls
  }

  /// A view of one account shows just the account, and a view of none shows no user. `revision` is the number of the
  /// call, which defaults to the next one.
  mutating func set(_ window: String, _ accounts: [AccountReference]?, revision: Int? = nil) {
    shown[window] = accounts.map(Shown.init)
    revisions[window] = accounts == nil ? nil : revision ?? nextRevision()
  }

  func hidden(_ window: String) -> [AccountReference] { hidden[window] ?? [] }

  mutating func forgetHidden(_ window: String) { hidden[window] = nil }

  mutating func noteHidden(_ account: AccountReference, in window: String) {
    hidden[window, default: []].append(account)
  }

  /// Takes an account out of a window, under all its names. A window that is locked down remains so.
  mutating func hide(in window: String, where isHidden: (AccountReference) -> Bool) {
    guard let rest = accounts(window)?.filter({ !isHidden($0) }) else { return }
    shown[window] = view(window)?.isLocked == true ? .view(SharedView(rest, isLocked: true)) : Shown(rest)
  }

  /// Locks the window down until it is set again. A window without an identity is locked down for the account.
  mutating func lock(_ window: String, for account: AccountReference) {
    shown[window] = .view(SharedView(accounts(window) ?? [account], isLocked: true))
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
