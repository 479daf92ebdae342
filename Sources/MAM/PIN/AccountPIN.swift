import Model
import Policy
import SQLite
import Support
import Vault

/// The PIN of an account whose policy requires a PIN in this app. Calls may block: they wait for the disk and for other
/// processes that check a PIN, and stretching a PIN takes about 100 ms.
struct AccountPIN: Sendable {
  let core: Core
  let services: CoreServices
  let account: AccountState
  let reference: AccountReference
  let rules: PINRules

  /// `nil` before the first PIN.
  func stored() throws(MAMError) -> StoredPIN? { try core.pins.stored(of: account.account, services) }

  /// Checks a PIN. The try is stored for all processes before the PIN is compared, so killing the process does not save
  /// a try. A correct PIN that no longer follows the rules is marked as unfit.
  func verdict(on pin: HostSecret) throws(MAMError) -> PINVerdict {
    try effecting { () throws(MAMError) -> PINVerdict in
      guard var stored = try stored(), stored.isSet else { return .notSet }
      guard !rules.isExhausted(stored) else { return .exhausted }
      stored.tries += 1
      stored.triedAt = core.now
      stored.wipedApps = []
      try save(stored)
      guard try isRight(pin, stored) else {
        log("a wrong PIN was entered for \(personal: account.account)")
        return rules.isExhausted(stored) ? .exhausted : .wrong(triesLeft: rules.triesLeft(of: stored))
      }
      stored.tries = 0
      stored.typedAt = core.now
      stored.activeAt = core.now
      stored.unfitForm = rules.form.fault(of: PINTraits(pin)) == nil ? "" : rules.form.key
      try save(stored)
      return .right(mustChange: rules.mustChange(stored, at: core.now))
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
      try keep(try hash.sealed(for: stored, by: services.keys), of: stored)
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
    return try Folder.withLock(core.configuration.stateFolder.apps, body)
  }

  func save(_ stored: StoredPIN) throws(MAMError) {
    try core.reopeningWhenDamaged { () throws(MAMError) in
      try services.device.write { connection throws(SQLiteError) in try connection.save(stored) }
    }
  }

  func log(_ message: LogMessage) { services.log.write(.info, .conditionalLaunch, message) }
}

extension PINs {
  /// `nil` if no policy requires a PIN for the account, or if the device's PIN replaces it.
  func required(of reference: AccountReference) throws(MAMError) -> AccountPIN? {
    let services = try core.refresh()
    guard let account = core.state.account(reference), let policy = account.policy else { return nil }
    let questions = PolicyQuestions(policy: policy, account: reference)
    guard questions.isPINRequired(devicePINIsSet: core.state.device.devicePinSet).value else { return nil }
    return AccountPIN(core: core, services: services, account: account, reference: reference, rules: policy.pin)
  }

  /// `nil` if the user never had a PIN in an app of this publisher.
  func stored(of account: Account, _ services: CoreServices) throws(MAMError) -> StoredPIN? {
    guard let reference = account.reference else { return nil }
    let (publisher, directory) = (core.configuration.stateFolder.publisher, core.state.directory)
    return try core.reopeningWhenDamaged { () throws(MAMError) in
      try services.device.read { connection throws(SQLiteError) in
        try connection.pins(of: publisher).first { AccountKey($0.owner.account).isNamed(reference, directory) }
      } ?? nil
    }
  }
}
