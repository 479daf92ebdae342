import Model

/// Where accounts are in a list, by their object ids and user principal names in lower case.
struct AccountPlaces: Sendable {
  private var first: [String: Int] = [:]
  /// The further places of names that several accounts have.
  private var others: [String: [Int]] = [:]

  init() {}

  init(_ accounts: some Sequence<Account>) {
    for (place, account) in accounts.enumerated() { add(account, at: place) }
  }

  /// `place` comes after those of all other accounts.
  mutating func add(_ account: Account, at place: Int) {
    for name in [account.accountId, account.identity] {
      guard let name = name?.lowercasedASCII else { continue }
      if first[name] == nil { first[name] = place } else { others[name, default: []].append(place) }
    }
  }

  /// The places of all accounts that `AccountKey.isNamed` may accept, in order.
  func candidates(_ reference: AccountReference, _ directory: AccountDirectory) -> [Int] {
    guard reference.kind != .noUser else { return [] }
    var found = places(of: reference.key)
    if let accountId = directory.accountId(of: reference) {
      if accountId != reference.key { found += places(of: accountId) }
      // An account that was stored before its object id was known.
      if let name = directory.identities[accountId]?.lowercasedASCII, name != reference.key {
        found += places(of: name)
      }
    }
    return found.count < 2 ? found : Set(found).sorted()
  }

  private func places(of name: String) -> [Int] {
    guard let place = first[name] else { return [] }
    return [place] + (others[name] ?? [])
  }
}
