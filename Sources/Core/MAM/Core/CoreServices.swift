import Cryptography
import Model
import Support
import Vault

/// The parts of an open state folder.
package final class CoreServices: Sendable {
  let store: Store
  let device: DeviceStore
  let epochPage: EpochPage
  package let log: DiagnosticsLog
  let keys: KeyStore
  package let dataProtection: DataProtection
  package let files: FileProtection
  private let isObserving: Bool

  init(_ live: LiveState) throws(MAMError) {
    let configuration = live.configuration
    let folder = configuration.stateFolder
    isObserving = configuration.isObserving
    if isObserving { try folder.checkState() } else { try folder.create() }
    let isReadOnly = isObserving || folder.isReadOnly
    store = try Store(path: folder.database, migrations: StateSchema.app, isReadOnly: isReadOnly)
    device = DeviceStore(
      path: folder.device, migrations: StateSchema.device, isReadOnly: isObserving || folder.isDeviceReadOnly)
    epochPage = isReadOnly ? EpochPage(reading: folder.epochPage) : try EpochPage(path: folder.epochPage)
    // A process that died between a commit and this step left other processes unaware of its commit.
    epochPage.raise()
    live.learn(try store.time())
    log = DiagnosticsLog(
      folder: folder.logs, now: { [weak live] in live?.time.now ?? configuration.clock.now }, salt: try store.salt(),
      knownNames: { [weak live] in live?.state.directory.names ?? KnownNames([]) },
      reportFailure: configuration.reportWarning,
      pending: live.verbose, isReadOnly: isObserving)
    log.configure(configuration.settings)
    // Until the folder is opened again, with another log.
    if !isReadOnly { _ = log.subscribe(from: .error) { [weak live] in live?.noteErrorLine($0.category) } }
    keys = KeyStore(folder, secret: configuration.rootSecret, epoch: epochPage)
    dataProtection = DataProtection(keys: keys, nonces: configuration.makeNonces())
    files = FileProtection(
      keys: keys, ledger: store, state: folder.root, temporaryFilesLock: folder.temporaryFilesLock)
    if !isReadOnly {
      removeLeftovers()
      CrashTrace.keep(in: folder.app)
      reportCrashes(in: folder, configuration.reportWarning)
    }
  }

  /// Logs what has ended programs of this app since the last start.
  private func reportCrashes(in folder: StateFolder, _ reportWarning: (String) -> Void) {
    CrashFolder(in: folder.app).tellNew { summary, path in
      log.write(.error, .diagnostics, "\(public: summary.sentence)")
      reportWarning("\(summary.sentence). The trace is in \(path)")
    }
  }

  /// Makes the next read copy the databases again. Their files show that they were changed by size and time, which may
  /// miss a change that follows another within milliseconds.
  func dropCopies() {
    store.close()
    device.close()
  }

  /// Whether the folder still contains this state, and can be used in the same way.
  func isInPlace(_ folder: StateFolder) -> Bool {
    store.isInPlace && !epochPage.isLost && (isObserving || !store.isReadOnly || folder.isReadOnly)
  }
}

/// The accounts that this process is enrolling now, which includes the time in which the host lets the user sign in.
/// The store does not know of them.
final class OngoingEnrollments: Sendable {
  private let references = Lock<[AccountReference]>([])

  var all: [AccountReference] { references.withLock { $0 } }

  func begin(_ reference: AccountReference) {
    references.withLock { $0.append(reference) }
  }

  /// Call this once for each `begin`.
  func end(_ reference: AccountReference) {
    references.withLock { references in
      if let index = references.firstIndex(of: reference) { references.remove(at: index) }
    }
  }
}

/// Whether the app must be restarted for its first policy. Pending until the process ends.
final class PendingRestart: Sendable {
  private let isDue = Lock(false)

  var isPending: Bool { isDue.withLock { $0 } }

  func forget() { isDue.withLock { $0 = false } }

  /// Returns false if a restart was already due, so that nobody is asked twice.
  func becomeDue() -> Bool {
    isDue.withLock { isDue in
      defer { isDue = true }
      return !isDue
    }
  }
}

/// The background checks for the user of the managed device, of which one runs at a time.
final class ManagedUserChecks: Sendable {
  private enum Place { case idle, running, runningAndWanted }

  private let place = Lock(Place.idle)

  /// Returns false if a check runs, which then notes that another one is wanted.
  func begin() -> Bool {
    place.withLock { place in
      defer { place = place == .idle ? .running : .runningAndWanted }
      return place == .idle
    }
  }

  /// Returns false if another check is wanted, which the caller must run.
  func end() -> Bool {
    place.withLock { place in
      defer { place = place == .running ? .idle : .running }
      return place == .running
    }
  }
}
