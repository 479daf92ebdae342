import Model
import Policy
import SQLite
import Support
import Vault

/// The PIN of an account whose policy requires one in this app. Its calls may block: on the disk, on another process
/// that checks a PIN, and for some 100 ms on the stretching.
struct AccountPIN: Sendable {
  let core: Core
  let services: CoreServices
  let account: AccountState
  let reference: AccountReference
  let rules: PINRules

  /// Nil before the first PIN.
  func stored() throws(MAMError) -> StoredPIN? { try core.pins.stored(of: account.account, services) }

  /// Counts the try, for good and for all processes, before it looks at the PIN: who kills the process meanwhile has had
  /// the try. A PIN that is right but does not follow the rules any more is noted as unfit.
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

  /// Makes it the user's PIN in all apps of the publisher, where `isWanted` of what is there.
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
      log("the PIN of \(personal: account.account) is new")
      return .taken
    }
  }

  /// The user has none then, and may choose one.
  func forget() throws(MAMError) {
    try change { stored in
      stored.isSet = false
      stored.tries = 0
      (stored.typedAt, stored.activeAt) = (.never, .never)
      stored.unfitForm = ""
      stored.wipedApps = []
    }
    log("the PIN of \(personal: account.account) is forgotten")
  }

  /// Changes what is stored, if anything is.
  func change(_ body: @Sendable (inout StoredPIN) -> Void) throws(MAMError) {
    try effecting { () throws(MAMError) in
      guard var stored = try stored() else { return }
      body(&stored)
      try save(stored)
    }
  }

  /// Alone among all processes: what is read inside stays true. Stopped before, a call has done nothing.
  func effecting<Result: Sendable>(_ body: () throws(MAMError) -> Result) throws(MAMError) -> Result {
    guard CommitPoint.current?.pass() ?? true else { throw .cancelled }
    return try alone(body)
  }

  func alone<Result: Sendable>(_ body: () throws(MAMError) -> Result) throws(MAMError) -> Result {
    // Opened first: to make it may need a lock of its own.
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
  /// Nil where no policy requires a PIN of the account, or the device's own replaces it.
  func required(of reference: AccountReference) throws(MAMError) -> AccountPIN? {
    let services = try core.refresh()
    guard let account = core.state.account(reference), let policy = account.policy else { return nil }
    let questions = PolicyQuestions(policy: policy, account: reference)
    guard questions.isPINRequired(devicePINIsSet: core.state.device.devicePinSet).value else { return nil }
    return AccountPIN(core: core, services: services, account: account, reference: reference, rules: policy.pin)
  }

  /// Nil where the user never had one in an app of this publisher.
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
