import Model
import Support

/// The tokens that the policy source has got itself, in secret memory, until shortly before they expire. They let the
/// next check-in go without another sign-in. Nothing of them is stored.
final class SourceTokens: Sendable {
  private struct Entry {
    let account: Account
    let token: HostSecret
    let expires: Timestamp

    func isUsable(at now: Timestamp) -> Bool {
      now < expires.advanced(by: -SourceTokens.marginMilliseconds)
    }
  }

  /// A token that expires earlier is not used, because a check-in takes time and clocks differ.
  static let marginMilliseconds: Int64 = 5 * 60_000
  /// More accounts than an app has.
  private static let mostTokens = 64

  private let entries = Lock<[Entry]>([])

  /// `nil` if there is none that can still be used.
  func token(for account: Account, at now: Timestamp) -> HostSecret? {
    entries.withLock { entries in
      entries.removeAll { !$0.isUsable(at: now) }
      return entries.first { $0.account.sharesName(with: account) }?.token
    }
  }

  /// Holds a token in place of an earlier one. A token without a time of expiry is not held.
  func hold(_ token: AccessToken, for account: Account, at now: Timestamp) {
    drop(for: account)
    guard let expires = token.expires else { return }
    let entry = Entry(account: account, token: token.token, expires: expires)
    guard entry.isUsable(at: now) else { return }
    entries.withLock { entries in
      entries.append(entry)
      if entries.count > Self.mostTokens { entries.removeFirst() }
    }
  }

  /// Forgets a token that the service has refused, or that nobody needs any longer.
  func drop(for account: Account) {
    entries.withLock { entries in entries.removeAll { $0.account.sharesName(with: account) } }
  }
}

/// The sign-ins of one process that no host shows: each is a challenge, and goes on until the user has signed in.
final class KeptSignIns: Sendable {
  struct Entry: Sendable {
    let account: Account
    let challenge: Challenge
    /// Stops the sign-in.
    let cancel: @Sendable () -> Void
  }

  private struct State {
    var entries: [Entry] = []
    var isOver = false
  }

  private let state = Lock(State())

  /// The challenge of the account's sign-in; `nil` if there is none.
  func challenge(of account: Account) -> Challenge? {
    state.withLock { $0.entries.first { $0.account.sharesName(with: account) }?.challenge }
  }

  /// Returns false if the core has ended.
  func add(_ entry: Entry) -> Bool {
    state.withLock { state in
      guard !state.isOver else { return false }
      state.entries.append(entry)
      return true
    }
  }

  func remove(_ challenge: Challenge) {
    state.withLock { state in state.entries.removeAll { $0.challenge.id == challenge.id } }
  }

  /// Stops the sign-in of an account.
  func cancel(_ account: Account) {
    let stopped = state.withLock { state in
      defer { state.entries.removeAll { $0.account.sharesName(with: account) } }
      return state.entries.filter { $0.account.sharesName(with: account) }
    }
    for entry in stopped { entry.cancel() }
  }

  /// Stops all sign-ins, and returns their challenges, which nobody can end any longer.
  func end() -> [Challenge] {
    let entries = state.withLock { state in
      state.isOver = true
      defer { state.entries = [] }
      return state.entries
    }
    for entry in entries { entry.cancel() }
    return entries.map(\.challenge)
  }
}
