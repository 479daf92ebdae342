import Cryptography
import Model
import Policy
import Support
import Tenancy
import Vault

/// All that a core is told from outside.
public struct CoreConfiguration: Sendable {
  package var stateFolder: StateFolder
  public var tenant: TenantLocation
  public var settings: Settings
  public var clock: any Clock
  /// In which users are told something, unless a call comes from a host whose user has another one.
  public var language = Language.english
  /// What the keys hang on. Asked for when they are first needed.
  public var rootSecret = RootSecretSource.keyFile
  /// A test policy for every account, below those that the store holds.
  public var debugSettings: TestSettings?
  /// Makes the source of the nonces that data is protected with.
  package var makeNonces: @Sendable () -> any NonceSource = { SystemNonces() }
  /// Opens what servers' certificates are to lead to.
  package var openTrustStore: @Sendable () throws(CryptographyError) -> TrustStore = { () throws(CryptographyError) in
    try .system()
  }
  /// What it costs to try a PIN; stored with each, so that it may rise.
  package var pinStretching = Scrypt.Parameters.standard
  /// Gets what cannot even be written into the log: one text, for stderr.
  public var reportWarning: @Sendable (String) -> Void = { _ in }

  package init(
    stateFolder: StateFolder, tenant: TenantLocation = .none, settings: Settings = Settings(),
    clock: any Clock = SystemClock()
  ) {
    self.stateFolder = stateFolder
    self.tenant = tenant
    self.settings = settings
    self.clock = clock
  }

  /// Nil when `appId` is none: 1 to 128 letters, digits, dots and dashes. `trustsParents` is for volumes on which the
  /// folders that lead to the state folder have owners or modes of their own.
  public init?(
    stateFolder: String, appId: String, tenant: TenantLocation = .none, settings: Settings = Settings(),
    clock: any Clock = SystemClock(), trustsParents: Bool = false
  ) {
    guard StateFolder.isAppId(appId) else { return nil }
    self.init(
      stateFolder: StateFolder(root: stateFolder, appId: appId, trustsParents: trustsParents), tenant: tenant,
      settings: settings, clock: clock)
  }
}
