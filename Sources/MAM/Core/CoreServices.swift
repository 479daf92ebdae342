import Cryptography
import Model
import Support
import Vault

/// What an open state folder consists of.
package final class CoreServices: Sendable {
  let store: Store
  let device: DeviceStore
  let epochPage: EpochPage
  package let log: DiagnosticsLog
  let keys: KeyStore
  package let dataProtection: DataProtection
  package let files: FileProtection

  init(_ core: Core) throws(MAMError) {
    let configuration = core.configuration
    let folder = configuration.stateFolder
    try folder.create()
    let isReadOnly = folder.isReadOnly
    store = try Store(path: folder.database, isReadOnly: isReadOnly)
    device = DeviceStore(path: folder.device, isReadOnly: folder.isDeviceReadOnly)
    epochPage = isReadOnly ? EpochPage(reading: folder.epochPage) : try EpochPage(path: folder.epochPage)
    // A process that died between a commit and this counter left others unaware of its commit.
    epochPage.raise()
    log = DiagnosticsLog(
      folder: folder.logs, clock: configuration.clock, salt: try store.salt(),
      knownIdentities: { [weak core] in core?.state.directory.names ?? [] }, reportFailure: configuration.reportWarning,
      pending: core.verbose)
    log.configure(configuration.settings)
    keys = KeyStore(folder, secret: configuration.rootSecret, epoch: epochPage)
    dataProtection = DataProtection(keys: keys, nonces: configuration.makeNonces())
    files = FileProtection(
      keys: keys, ledger: store, state: folder.root, temporaryFilesLock: folder.temporaryFilesLock)
    if !isReadOnly { removeLeftovers() }
  }

  /// Whether it is still the state that is found there, and can be used in the same way.
  func isInPlace(_ folder: StateFolder) -> Bool {
    store.isInPlace && !epochPage.isLost && (!store.isReadOnly || folder.isReadOnly)
  }
}
