import Model
import Policy
import SQLite
import Support
import Vault

/// The PIN of an account whose policy requires a PIN in this app. Calls may block: they wait for the disk and for other
/// processes that check a PIN, and stretching a PIN takes about 100 ms.
struct AccountPIN: Sendable {
  let pins: PINs
  let services: CoreServices
  let account: AccountState
  let reference: AccountReference
  let rules: PINRules

  /// `nil` before the first PIN.
  func stored() throws(MAMError) -> StoredPIN? { try pins.stored(of: account.account, services) }

  /// Checks a PIN. The try is stored for all processes before the PIN is compared, so killing the process does not save
  /// a try. A correct PIN that no longer follows the rules is marked as unfit.
  func verdict(on pin: HostSecret) throws(MAMError) -> PINVerdict {
    try effecting { () throws(MAMError) -> PINVerdict in
      guard var stored = try stored(), stored.isSet else { return .notSet }
      guard !rules.isExhausted(stored) else { return .exhausted }
      stored.tries += 1
      stored.triedAt = pins.live.now
      stored.wipedApps = []
      try save(stored)
      guard try isRight(pin, stored) else {
        log("a wrong PIN was entered for \(personal: account.account)")
        return rules.isExhausted(stored) ? .exhausted : .wrong(triesLeft: rules.triesLeft(of: stored))
      }
      stored.tries = 0
      stored.typedAt = pins.live.now
      stored.activeAt = pins.live.now
      stored.unfitForm = rules.form.fault(of: PINTraits(pin)) == nil ? "" : rules.form.key
      try save(stored)
      return .right(mustChange: rules.mustChange(stored, at: pins.live.now))
    }
  }

  /// Makes `pin` the user's PIN in all apps of the publisher, if `isWanted` returns true for the stored PIN.
  func choose(
    _ pin: HostSecret, if isWanted: @Sendable (StoredPIN?) -> Bool
  ) throws(MAMError) -> PINChoice {
    if let fault = rules.form.fault(of: PINTraits(pin)) { return .refused(fault) }
    return try effecting { () throws(MAMError) -> PINChoice in
      let known = try stored()
      guard isWanted(known) else { return .unwanted }
      let stored = if let known { known } else { try make() }
      let hash = try PINHash(pin, for: stored)
      guard try !wasUsed(hash, stored) else { return .refused(.usedBefore) }
      try store(try hash.sealed(for: stored, by: services.keys), of: stored)
      log("a new PIN was set for \(personal: account.account)")
      return .taken
    }
  }

  /// Forgets the PIN. The user then has no PIN, and may choose a new one.
  func forget() throws(MAMError) {
    try change { stored in
      stored.isSet = false
      stored.tries = 0
      (stored.typedAt, stored.activeAt) = (.never, .never)
      stored.unfitForm = ""
      stored.wipedApps = []
    }
    log("the PIN of \(personal: account.account) was removed")
  }

  /// Changes the stored PIN, if there is one.
  func change(_ body: @Sendable (inout StoredPIN) -> Void) throws(MAMError) {
    try effecting { () throws(MAMError) in
      guard var stored = try stored() else { return }
      body(&stored)
      try save(stored)
    }
  }

  /// Passes the commit point, then runs `body` like `alone`. A call that is cancelled before has changed nothing.
  func effecting<Result: Sendable>(_ body: () throws(MAMError) -> Result) throws(MAMError) -> Result {
    guard CommitPoint.current?.pass() ?? true else { throw .cancelled }
    return try alone(body)
  }

  /// Runs `body` while no other thread or process can change a PIN.
  func alone<Result: Sendable>(_ body: () throws(MAMError) -> Result) throws(MAMError) -> Result {
    // Opens the key first, because creating the key may need another lock.
    try services.keys.unlock()
    return try Folder.withLock(pins.live.configuration.stateFolder.apps, body)
  }

  func save(_ stored: StoredPIN) throws(MAMError) {
    try pins.live.reopeningWhenDamaged { () throws(MAMError) in
      try services.device.write { connection throws(SQLiteError) in try connection.save(stored) }
    }
  }

  func log(_ message: LogMessage) { services.log.write(.info, .conditionalLaunch, message) }
}

extension PINs {
  /// `nil` if no policy requires a PIN for the account, or if the device's PIN replaces it.
  func required(of reference: AccountReference) throws(MAMError) -> AccountPIN? {
    let services = try live.refresh()
    guard let account = live.state.account(reference), let policy = account.policy else { return nil }
    let questions = PolicyQuestions(policy: policy, account: reference)
    guard questions.isPINRequired(live.state.devicePIN).value else { return nil }
    return AccountPIN(pins: self, services: services, account: account, reference: reference, rules: policy.pin)
  }

  /// When the PIN, or biometrics in its place, was last given; `nil` without a PIN.
  func lastEntry(of account: AccountState) throws(MAMError) -> Timestamp? {
    try stored(of: account.account, live.refresh()).flatMap { $0.isSet ? $0.activeAt : nil }
  }

  /// `nil` if the user never had a PIN in an app of this publisher.
  func stored(of account: Account, _ services: CoreServices) throws(MAMError) -> StoredPIN? {
    guard let reference = account.reference else { return nil }
    let (publisher, directory) = (live.configuration.stateFolder.publisher, live.state.directory)
    return try live.reopeningWhenDamaged { () throws(MAMError) in
      try services.device.read { connection throws(SQLiteError) in
        try connection.pins(of: publisher).first { AccountKey($0.owner.account).isNamed(reference, directory) }
      } ?? nil
    }
  }
}

extension AccountPIN {
  func demand(isRecheckDue: Bool) throws(MAMError) -> PINDemand {
    try forgetAfterWipe()
    let demand = PINDemand(rules, on: try stored(), isRecheckDue: isRecheckDue, at: pins.live.now)
    guard demand == .signIn || demand == .wipe else { return demand }
    // Another call may be checking the last try right now, and the PIN may turn out to be correct.
    let settled = try alone { () throws(MAMError) -> StoredPIN? in try stored() }
    return PINDemand(rules, on: settled, isRecheckDue: isRecheckDue, at: pins.live.now)
  }

  /// Forgets the PIN if too many tries wiped the account and the account was enrolled again since. Its user has signed
  /// in, and may choose a new PIN.
  func forgetAfterWipe() throws(MAMError) {
    guard let stored = try stored(), isOverSinceWipe(stored) else { return }
    try forget()
  }

  /// Like `demand`, but changes nothing.
  func standing(isRecheckDue: Bool) throws(MAMError) -> PINDemand {
    let stored = try stored().flatMap { isOverSinceWipe($0) ? nil : $0 }
    return PINDemand(rules, on: stored, isRecheckDue: isRecheckDue, at: pins.live.now)
  }

  private func isOverSinceWipe(_ stored: StoredPIN) -> Bool {
    stored.isSet && rules.isExhausted(stored) && rules.exhaustion == .wipe && hasEnrolledSince(stored)
  }

  private func hasEnrolledSince(_ stored: StoredPIN) -> Bool {
    guard !account.isWiping else { return false }
    return stored.wipedApps.contains(pins.live.appId)
      || account.enrolledAt.map { $0 > stored.triedAt } ?? false
  }

  /// Marks the account's data to be wiped, unless wipes are on hold. The call that asked for the PIN removes it, or else
  /// the next process does.
  func beginWipe() throws(MAMError) {
    guard try !pins.wipes.mark(reference, account.wrongPINs).isEmpty else { return }
    let app = pins.live.appId
    try change { stored in
      if !stored.wipedApps.contains(app) { stored.wipedApps.append(app) }
    }
  }

  /// The question to the user; `nil` if no answer is needed, or none helps.
  func question(
    _ demand: PINDemand, in window: String?, companions: [AccountReference] = []
  ) throws(MAMError) -> UserQuestion? {
    guard let kind = demand.kind else { return nil }
    let notice = UserNotice(.pin(demand.title), try text(demand))
    return UserQuestion(
      kind: kind, reference: reference, window: window, notice: notice, acceptance: .ignored, companions: companions)
  }

  /// Opens the challenge of the demand, or returns the one that is open; `nil` if no answer is needed, or none helps.
  /// `UserQuestion` explains `companions`.
  func challenge(
    _ demand: PINDemand, in window: String?, companions: [AccountReference] = []
  ) throws(MAMError) -> Challenge? {
    try question(demand, in: window, companions: companions).map { question throws(MAMError) in
      try pins.challenges.open(question)
    }
  }

  private func text(_ demand: PINDemand) throws(MAMError) -> UserText {
    let message = UserText(.pin(try message(demand)))
    guard [.set, .change].contains(demand) else { return message }
    return rules.form.rules.reduce(message) { $0.followed(by: $1) }
  }

  private func message(_ demand: PINDemand) throws(MAMError) -> PINMessage {
    switch demand {
    case .set: return .setMessage
    case .change:
      let hasExpired = try stored().map { rules.hasExpired($0, at: pins.live.now) } ?? false
      return hasExpired ? .expired : .changeRequired
    case .signIn: return .retriesReset
    case .nothing, .enter, .wipe: return .enterMessage
    }
  }
}

extension PINDemand {
  fileprivate var title: PINMessage {
    switch self {
    case .set: .setTitle
    case .change: .changeTitle
    case .signIn: .retriesTitle
    case .nothing, .enter, .wipe: .enterTitle
    }
  }
}

extension PINs {
  /// Call this when the user has signed in. After too many wrong PINs, forgets the PIN and returns the challenge that
  /// asks for a new one; otherwise returns `nil`.
  func resetExhausted(of account: Account, in window: String?) throws(MAMError) -> Challenge? {
    guard let reference = account.reference, let pin = try required(of: reference),
      try pin.demand(isRecheckDue: false) == .signIn
    else { return nil }
    try pin.forget()
    return try pin.challenge(.set, in: window)
  }
}
