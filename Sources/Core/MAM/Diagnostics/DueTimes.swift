import Model
import Policy
import Support

/// Looks ahead at what falls due, without moving the clock.
package struct DueTimes: Sendable {
  let live: LiveState
  let pins: PINs
  let challenges: Challenges

  /// As far ahead as one step of the manual clock goes.
  private static let longestMilliseconds: Int64 = 366 * 86_400_000

  /// What falls due until a time, which defaults to 366 days from now. A check-in that comes first can change what
  /// follows, so of several check-ins only the next one is listed, and offline limits count from the last answer of the
  /// policy source. May block.
  package func timeline(
    of reference: AccountReference?, until: Timestamp?
  ) throws(MAMError) -> Timeline {
    try live.refresh()
    let (state, now) = (live.state, live.now)
    let until = until ?? now.advanced(by: Self.longestMilliseconds)
    let accounts = state.accounts(named: reference)
    var entries: [DueEntry] = []
    for account in accounts {
      entries += [work(for: account, at: now), clock(of: account)].compactMap(\.self)
      entries += offlineLimits(of: account) + (try pinExpiry(of: account))
    }
    entries += try challenges(about: reference)
    // The order of entries at one time is that of the accounts, and within an account as above.
    let due = entries.filter { $0.time >= now && $0.time <= until }.enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    return Timeline(now: now, until: until, entries: due)
  }

  private func work(for account: AccountState, at now: Timestamp) -> DueEntry {
    let time = max(now, account.plan.checkInDue(on: live.state.deviceRecord))
    let name = account.account.shownName
    return account.isWiping
      ? DueEntry(time, .wipe, account, "The wipe of \(name) goes on.")
      : DueEntry(time, .checkIn, account, "\(name) checks in.")
  }

  private func clock(of account: AccountState) -> DueEntry? {
    account.plan.clockStale.map { time in
      DueEntry(
        time, .clockStale, account, "The entry of \(account.account.shownName) in the time clock is an hour old.")
    }
  }

  private func offlineLimits(of account: AccountState) -> [DueEntry] {
    guard let policy = account.policy?.effective, let contact = account.contactedAt else { return [] }
    let limits: [(SettingName, DueEntry.Kind, String)] = [
      (.periodOfflineBeforeAccessCheck, .offlineBlock, "access is blocked"),
      (.periodOfflineBeforeWipeIsEnforced, .offlineWipe, "the user must sign in, or the data is removed"),
    ]
    return limits.compactMap { setting, kind, consequence in
      guard let period = policy.value(of: setting)?.durationValue.flatMap(OfflineCheck.limit) else { return nil }
      return DueEntry(
        contact.advanced(by: period.milliseconds), kind, account,
        "\(account.account.shownName): unless the policy source answers before, \(consequence).", setting)
    }
  }

  private func pinExpiry(of account: AccountState) throws(MAMError) -> [DueEntry] {
    guard account.isManaged, let reference = account.reference,
      let expiry = try pins.status(of: reference).expires
    else { return [] }
    return [
      DueEntry(
        expiry, .pinExpiry, account, "\(account.account.shownName) must choose another PIN.", .periodBeforePinReset)
    ]
  }

  private func challenges(about reference: AccountReference?) throws(MAMError) -> [DueEntry] {
    try challenges.all().filter { $0.outcome == nil }.compactMap { stored in
      let challenge = stored.challenge
      guard let expires = challenge.expires else { return nil }
      guard reference.map({ challenge.isAbout($0, live.state.directory) }) ?? true else { return nil }
      return DueEntry(
        time: expires, kind: .challengeExpiry, accountId: challenge.accountId, identity: challenge.identity,
        text: "The challenge \"\(challenge.title)\" expires.")
    }
  }
}

extension DueEntry {
  fileprivate init(
    _ time: Timestamp, _ kind: Kind, _ account: AccountState, _ text: String, _ setting: SettingName? = nil
  ) {
    self.init(
      time: time, kind: kind, accountId: account.account.accountId, identity: account.account.identity,
      setting: setting?.rawValue, text: text)
  }
}

extension Account {
  fileprivate var shownName: String { identity ?? accountId ?? "the account" }
}
