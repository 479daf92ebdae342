import Cryptography
import Model
import Policy
import Support
import Tenancy
import Vault

/// Everything that a core is told from outside.
package struct CoreConfiguration: Sendable {
  package var stateFolder: StateFolder
  package var tenant: TenantLocation
  /// A source outside of this process, which answers instead of `tenant`; `nil` if `tenant` answers.
  package var source: (any CheckInSource)?
  /// The version of the program, which a source outside of this process is told.
  package var version = ""
  package var settings: Settings
  package var clock: any Clock
  /// Whether the core only looks at the state: it creates and changes nothing, logs nothing, takes no lock, and neither
  /// checks in accounts nor continues wipes. Calls that would change something fail with 6001.
  package var isObserving = false
  /// The language of texts for users, unless a call comes from a host whose user has another language.
  package var language = Language.english
  /// Unlocks the keys. Asked for when they are first needed.
  package var rootSecret = RootSecretSource.keyFile
  /// The words of the program that prints the tokens that the policy source asks for; `nil` if only hosts give them.
  package var tokenCommand: [String]?
  /// How long that program may run.
  package var tokenCommandPatience = Duration.seconds(60)
  /// How a sign-in at the policy source reaches the user if no host shows it.
  package var signInDisplay = SignInDisplay.challenge
  /// How long a process lives before its policy source watches for changes, and how often it then looks whether another
  /// process still does. A process that makes a single call ends earlier.
  package var watchPatience = Duration.seconds(2)
  /// A test policy for every account. Stored test policies win over it.
  package var debugSettings: TestSettings?
  /// Whether test policies can neither be set nor cleared, even if a host has switched DebugSettingsEnabled on.
  package var locksTestPolicies = false
  /// The tag by which a source outside of this process knows the device; `nil` for the UUID of the state folder. A copy
  /// of a state needs a tag of its own, or a source takes it for the original device.
  package var deviceTag: String?
  /// Creates the source of the nonces that protect data.
  package var makeNonces: @Sendable () -> any NonceSource = { SystemNonces() }
  /// Opens the authorities that the certificates of servers must lead to.
  package var openTrustStore: @Sendable () throws(CryptographyError) -> TrustStore = { () throws(CryptographyError) in
    try .system()
  }
  /// The cost of trying a PIN. Stored with each PIN, so that the cost may rise.
  package var pinStretching = Scrypt.Parameters.standard
  /// Receives a text for stderr if not even the log can be written.
  package var reportWarning: @Sendable (String) -> Void = { _ in }

  package init(
    stateFolder: StateFolder, tenant: TenantLocation = .none, settings: Settings = Settings(),
    clock: any Clock = SystemClock()
  ) {
    self.stateFolder = stateFolder
    self.tenant = tenant
    self.settings = settings
    self.clock = clock
  }

  /// `nil` if `appId` is not valid: 1 to 128 letters, digits, dots and dashes. `trustsParents` is for volumes on which
  /// the folders that lead to the state folder have unusual owners or modes.
  package init?(
    stateFolder: String, appId: String, tenant: TenantLocation = .none, settings: Settings = Settings(),
    clock: any Clock = SystemClock(), trustsParents: Bool = false
  ) {
    guard StateFolder.isAppId(appId) else { return nil }
    self.init(
      stateFolder: StateFolder(root: stateFolder, appId: appId, trustsParents: trustsParents), tenant: tenant,
      settings: settings, clock: clock)
  }
}
