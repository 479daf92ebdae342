import Model
import SQLite
import Support
import Vault

/// Removes what this app holds of one account whose wipe is marked. The caller holds the account's `WipeLock`.
///
/// The steps, in their order: `destroyKeys`, `askHost`, `removeFiles`, `leaveApps`, `verify`, `end`. Each step can be
/// repeated, and no step stops at something that it cannot remove. That is noted in `failures`, or in `obstacles` if
/// only a lock of another process is in the way, and the wipe stays marked.
struct WipeRun: Sendable {
  private let wipes: Wipes
  private let services: CoreServices
  private let stored: StoredAccount
  private let directory: AccountDirectory
  private let progress = WipeProgress()
  /// What could not be removed, as the texts of the errors.
  private(set) var failures: [String] = []
  /// What other processes have locked. Hosts are not told of these as failures.
  private var obstacles: [String] = []
  private var removedFiles = 0

  var account: Account { stored.account }

  /// `nil` if the wipe is done.
  init?(_ wipes: Wipes, position: Int) throws(MAMError) {
    self.wipes = wipes
    services = try wipes.live.refresh()
    let found = try services.store.inspect(at: wipes.live.time) { transaction throws(SQLiteError) in
      (try transaction.wiping(position), try transaction.directory())
    }
    guard let account = found.0 else { return nil }
    (stored, directory) = (account, found.1)
  }

  /// Runs all steps. Returns how the account stands afterwards.
  mutating func run() async throws(MAMError) -> EnrollmentStatus {
    destroyKeys()
    try await askHost()
    try removeFiles()
    leaveApps()
    try verify()
    return try end()
  }

  /// From here on, no process can read what this app alone protected for the account.
  mutating func destroyKeys() {
    progress.begin()
    note(failure { () throws(MAMError) in try services.destroyAppKeys(of: stored.account) })
  }

  /// Asks once: the answer is stored, and no other process asks again. Holds no lock that a call of the host may need.
  /// A host that could not remove its data outside of files is asked at each try.
  mutating func askHost() async throws(MAMError) {
    guard stored.wipe?.answer == .notAsked else { return }
    progress.willAskHost()
    // Without a stored answer, the host is asked again when the wipe is tried again.
    guard let answer = await hostAnswer() else { return note(.auxiliaryDataLeft) }
    let position = stored.position
    try wipes.live.commit { transaction throws(SQLiteError) in try transaction.setAnswer(answer, of: position) }
    log(.info, answer == .host ? "the host has removed the account's data" : "the core removes the account's data")
  }

  /// Who removes the files; `nil` if the host could not do its part.
  private func hostAnswer() async -> StoredWipe.Answer? {
    let host = wipes.hosts.current
    guard host.wipesOnlyAuxiliaryData else { return await host.wipeData(of: stored.account) ? .host : .core }
    return await host.wipeAuxiliaryData(of: stored.account) ? .core : nil
  }

  /// Removes the files, unless the host has done so. Temporary files of killed processes are removed in any case,
  /// because the host does not know them.
  mutating func removeFiles() throws(MAMError) {
    services.removeLeftovers()
    guard try !isLeftToHost() else { return }
    let former = failures.count
    let files = try ownedFiles()
    for (index, file) in files.enumerated() {
      progress.removed(index, of: files.count)
      note(failure { () throws(MAMError) in try services.files.ownership.remove(file, where: owns) })
    }
    progress.removed(files.count, of: files.count)
    removedFiles = try files.count - ownedFiles().count
    if !files.isEmpty { log(.info, "\(files.count) files to remove, \(failures.count - former) failed") }
  }

  /// If this was the last app of the account, what its apps handed to each other cannot be read any longer either.
  mutating func leaveApps() {
    note(failure { () throws(MAMError) in try services.leaveApps(of: stored.account) })
  }

  /// Work that was under way when the wipe was marked may have created a file or a key since.
  mutating func verify() throws(MAMError) {
    note(failure { () throws(MAMError) in try services.destroyAppKeys(of: stored.account) })
    guard failures.isEmpty, obstacles.isEmpty else { return }
    let left = try ownedFiles()
    if try isLeftToHost() {
      guard !left.isEmpty else { return }
      log(.warning, "the host removed its data, but \(left.count) files still name the account as their owner")
      return
    }
    for file in left { failures.append("\(file.path) cannot be removed: it is created again and again") }
  }

  /// Stores the result, and announces it: everything is gone, or something is left.
  mutating func end() throws(MAMError) -> EnrollmentStatus {
    forget()
    let (stored, failure, obstacle) = (stored, failureText, obstacles.first)
    let (removed, isOver) = (removedFiles, failures.isEmpty && obstacles.isEmpty)
    let status = try wipes.live.commit { transaction throws(SQLiteError) -> EnrollmentStatus in
      guard let account = try transaction.wiping(stored.position) else { return stored.unenrolled }
      try transaction.noteWipe(of: account, removing: removed, isOver: isOver)
      if let failure { return try transaction.keepWipe(of: account, failure) }
      if let obstacle {
        try transaction.postponeWipe(of: account)
        return EnrollmentStatus(account.account, .failedToClearMamData, EnrollmentText.wiping + " " + obstacle)
      }
      return try transaction.endWipe(of: account)
    }
    if failure == nil, obstacle == nil {
      services.store.purge()
      services.device.purge()
    }
    services.log.write("wipe", status)
    progress.end()
    return status
  }

  /// Removes whatever still names the account once its data is gone.
  private mutating func forget() {
    guard failures.isEmpty, obstacles.isEmpty else { return }
    note(failure { () throws(MAMError) in try forgetFiles() })
    note(failure { () throws(MAMError) in try forgetNames() })
  }

  private func forgetFiles() throws(MAMError) {
    let count = try services.store.forgetFiles(where: owns)
    guard count > 0, try !isLeftToHost() else { return }
    log(
      .info,
      """
      \(count) files were not found where they were last seen: files that were moved elsewhere and are not encrypted \
      can still be read
      """)
  }

  /// Removes the name outside the app's own database. An account that stays registered keeps its name.
  private func forgetNames() throws(MAMError) {
    try KeyFile(path: wipes.live.configuration.stateFolder.diagnosticPage).destroy()
    guard stored.wipe?.reason.keepsRegistration != true, stored.account.identity?.isEmpty == false,
      try services.device.read({ _ in true }) != nil
    else { return }
    for keeper in wipes.nameKeepers { try keeper.forgetName(of: stored.account, in: services) }
  }

  private var failureText: String? {
    guard let first = failures.first else { return nil }
    let others = failures.count > 1 ? " \(failures.count - 1) more could not be removed either." : ""
    return "\(first).\(others) mambridge tries again; make sure that the files can be removed."
  }

  private var owns: @Sendable (DataOwner) -> Bool {
    { [stored, directory] owner in stored.owns(owner, directory) }
  }

  private mutating func ownedFiles() throws(MAMError) -> [OwnedFile] {
    var faults: [MAMError] = []
    let files = try services.files.ownership.files(where: owns) { faults.append($0) }
    for fault in faults { note(fault) }
    return files
  }

  private func isLeftToHost() throws(MAMError) -> Bool {
    let position = stored.position
    return try services.store.read { connection throws(SQLiteError) in
      try connection.dictionary(StoredWipe.table)[position]?.answer == .host
    }
  }

  private func failure(_ body: () throws(MAMError) -> Void) -> MAMError? {
    do throws(MAMError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private mutating func note(_ error: MAMError?) {
    guard let error else { return }
    if error.code == .fileInUse || error.code == .stateInUse { return postpone(error) }
    let failure = error.path.map { "\($0) cannot be removed: \(error.message)" } ?? error.message
    guard !failures.contains(failure) else { return }
    failures.append(failure)
    log(.error, failure)
  }

  /// Another process holds a lock: what the lock guards stays until that process is done.
  private mutating func postpone(_ error: MAMError) {
    let obstacle = "\(error.path ?? "A file") will be removed later: \(error.message)."
    guard !obstacles.contains(obstacle) else { return }
    obstacles.append(obstacle)
    log(.warning, obstacle)
  }

  private func log(_ level: LogLevel, _ text: String) {
    services.log.write(level, .enrollment, "wipe \(personal: stored.account): \(public: text)")
  }
}

extension MAMError {
  fileprivate static let auxiliaryDataLeft = MAMError(
    .partlyDone, "The host could not remove the account's data that is not in files")
}
