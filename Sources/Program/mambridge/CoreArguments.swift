import Bridge
import Glibc
import JSONRPC
import MAM
import Model
import Policy
import SourceHost
import Support
import Tenancy

/// The command-line arguments from which a core is made.
struct CoreArguments {
  static let defaultAppId = "com.example.host"

  var tenant: String?
  var state: String?
  var trustsParents = false
  /// Whether nothing is said about variables.
  var isQuiet = false
  /// `nil` if no option names the app.
  var appId: String?
  /// `nil` if no option chooses the clock.
  var clock: ClockChoice?
  var settings: String?
  var flags: [String] = []
  var debugSettings: String?
  var locale: String?
  var tokenCommand: String?
  var secret = SecretArguments()
  /// Whether the core only looks at the state and changes nothing.
  var isObserving = false
  /// Whether test policies can neither be set nor cleared, whatever a host has overridden.
  var locksTestPolicies = false
  /// The tag by which the policy source knows the device; `nil` for that of the state folder.
  var deviceTag: String?
  /// How a sign-in at the policy source reaches the user if no host shows it.
  var signInDisplay = SignInDisplay.challenge

  init() {}

  /// Reads a command line that consists only of the options above and their values; `nil` for any other, which goes to
  /// the full parser.
  init?(plain arguments: some Sequence<String>) {
    var rest = arguments.makeIterator()
    while let option = rest.next() {
      if option == "--trust-parents" {
        trustsParents = true
        continue
      }
      if option == "--quiet" {
        isQuiet = true
        continue
      }
      guard let value = rest.next(), !value.hasPrefix("-"), set(option, value) else { return nil }
    }
    guard appId.map(StateFolder.isAppId) ?? true, secret.fault == nil else { return nil }
    guard tokenCommand.map({ CommandWords($0) != nil }) ?? true else { return nil }
  }

  private mutating func set(_ option: String, _ value: String) -> Bool {
    switch option {
    case "--tenant": tenant = value
    case "--state": state = value
    case "--app-id": appId = value
    case "--settings": settings = value
    case "--set": flags.append(value)
    case "--debug-settings": debugSettings = value
    case "--locale": locale = value
    case "--token-command": tokenCommand = value
    case "--key-file": secret.keyFile = value
    case "--key-command": secret.keyCommand = value
    case "--passphrase-fd":
      guard let number = Int32(value) else { return false }
      secret.passphraseDescriptor = number
    case "--clock":
      guard let choice = ClockChoice(argument: value) else { return false }
      clock = choice
    default: return false
    }
    return true
  }

  func makeBridge(
    limits: SessionLimits = SessionLimits(), in sandbox: Sandbox? = nil,
    onShutdown: @escaping @Sendable () -> Void = {}
  ) throws -> Bridge {
    Bridge(
      core: try makeCore(faults: sandbox?.faults), version: Mambridge.version, limits: limits, sandbox: sandbox,
      onShutdown: onShutdown)
  }

  /// `faults` are those of a sandbox.
  func makeCore(faults: PlantedFaults? = nil) throws -> Core {
    let settings = try loadSettings()
    let stateFolder = try stateFolder()
    if faults == nil { try joinSandbox(stateFolder) }
    let (program, location) = try policySource()
    if stateFolder.isForDevelopment { try checkDevelopment(stateFolder, location) }
    var configuration = CoreConfiguration(
      stateFolder: stateFolder, tenant: location, settings: settings,
      clock: try (clock ?? ClockChoice.ofVariable()).clock)
    configuration.source = program.map {
      ProgramSource($0, locale: language.rawValue, isDevelopmentState: stateFolder.isForDevelopment)
    }
    if let faults { configuration.source = FaultySource(location, faults, configuration.clock) }
    configuration.version = Mambridge.version
    configuration.language = language
    configuration.debugSettings = try loadDebugSettings(settings)
    configuration.locksTestPolicies = locksTestPolicies
    configuration.deviceTag = deviceTag
    configuration.signInDisplay = signInDisplay
    configuration.rootSecret = try secret.source()
    configuration.tokenCommand = tokenCommand.flatMap { CommandWords($0)?.words }
    configuration.isObserving = isObserving
    configuration.reportWarning = { printError("mambridge: \($0)") }
    let core = Core(configuration)
    // A state that is not there has seen nothing, and is not made for this.
    if stateFolder.exists { try clock?.check(against: core) }
    return core
  }

  /// Throws exit code 78 if the state, which is marked for development, cannot be used for that or for this tenant.
  private func checkDevelopment(_ state: StateFolder, _ location: TenantLocation) throws {
    guard location == .none else {
      throw CommandFailure(
        exitCode: 78,
        message: "the state \(state.root.shown) is for a development tenant alone. Use another state, with --state")
    }
    do throws(MAMError) { try state.checkDevelopment() } catch {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
  }

  /// The state folder. Throws exit code 78 if other users could change it.
  func stateFolder() throws -> StateFolder {
    let folder = StateFolder(root: try stateRoot(), appId: try chosenAppId(), trustsParents: trustsParents)
    do throws(MAMError) {
      try folder.checkTrust()
    } catch {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
    return folder
  }

  func chosenAppId() throws -> String {
    guard let id = appId ?? Variable.appId.value else { return Self.defaultAppId }
    guard StateFolder.isAppId(id) else {
      throw CommandFailure(
        exitCode: 78,
        message: "\(Variable.appId.rawValue): \"\(id.shown)\" is not an app id: use 1 to 128 letters, digits, dots "
          + "and dashes")
    }
    return id
  }

  /// Ignores an XDG variable that is not an absolute path, as the XDG Base Directory Specification requires.
  private func stateRoot() throws -> String {
    if let state {
      // Often an unset variable of a script, which must not choose the current folder.
      guard !state.isEmpty else {
        throw CommandFailure(exitCode: 78, message: "--state is empty. Name a folder, or leave out the option")
      }
      return state.absolutePath
    }
    if let path = Variable.state.value?.absolutePath {
      if !isQuiet { Variable.state.announce("the state folder is \(path.shown)") }
      return path
    }
    if let folder = absoluteFolder("XDG_STATE_HOME") { return folder + "/mambridge" }
    guard let home = absoluteFolder("HOME") ?? UserHome.folder(of: geteuid()) else {
      throw CommandFailure(
        exitCode: 78,
        message: "cannot choose a state folder: HOME and XDG_STATE_HOME are not set, and /etc/passwd lists no usable "
          + "home for user \(geteuid()). Pass --state")
    }
    return home + "/.local/state/mambridge"
  }

  private func absoluteFolder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }

  /// Throws exit code 78 if there is no such source. The message names the variable that chose it.
  private func policySource() throws -> (SourceProgram?, TenantLocation) {
    let name = tenantName()
    do {
      if let program = try SourceProgram(argument: name) { return (program, .none) }
      return (nil, try tenantLocation(named: name))
    } catch let failure as CommandFailure where tenant == nil {
      throw CommandFailure(
        exitCode: failure.exitCode, message: "\(Variable.tenant.rawValue): \(failure.message)")
    }
  }

  /// Throws exit code 78 if there is no tenant folder now. A folder that vanishes later is status 204 of a check-in.
  private func tenantLocation(named name: String?) throws -> TenantLocation {
    try name.map { try TenantLocation(argument: $0) } ?? .none
  }

  /// Whether the core may start programs, which may ask the user.
  var startsPrograms: Bool {
    let name = tenant ?? Variable.tenant.value ?? ""
    return secret.keyCommand != nil || tokenCommand != nil || SourceProgram.isNamed(by: name)
  }

  private func tenantName() -> String? {
    if let tenant { return tenant }
    guard let name = Variable.tenant.value else { return nil }
    if !isQuiet { Variable.tenant.announce("the tenant is \(name.shown)") }
    return name
  }

  private var language: Language {
    guard let locale else { return Language(environment: environment) }
    return Language(locale: locale) ?? .english
  }

  private func loadSettings() throws -> Settings {
    do {
      var values = try settings.map { try Settings(path: $0) } ?? Settings()
      for flag in flags { try values.set(flag: flag) }
      for warning in values.warnings { printError("mambridge: \(warning)") }
      return values
    } catch let error as SettingsError {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
  }

  private func loadDebugSettings(_ settings: Settings) throws -> TestSettings? {
    guard let debugSettings else { return nil }
    guard settings.bool(.debugSettingsEnabled) else {
      throw CommandFailure(
        exitCode: 78,
        message: "--debug-settings requires the setting DebugSettingsEnabled: add --set DebugSettingsEnabled=true")
    }
    do throws(SettingsError) {
      return try TestSettings(path: debugSettings)
    } catch {
      throw CommandFailure(exitCode: 78, message: error.description)
    }
  }
}

extension SourceProgram {
  private static let prefix = "exec:"
  private static let scheme = "https://"

  fileprivate static func isNamed(by name: String) -> Bool { name.hasPrefix(prefix) || name.hasPrefix(scheme) }

  /// The program that `--tenant` names with `exec:COMMAND` or an address; `nil` for anything else.
  init?(argument name: String?) throws {
    guard let name else { return nil }
    if name.hasPrefix(Self.scheme) {
      self = .tenantService(at: name)
      return
    }
    if let scheme = name.scheme { throw Self.unusable(name, scheme) }
    let prefix = Self.prefix
    guard name.hasPrefix(prefix) else { return nil }
    guard let words = CommandWords(String(name.dropFirst(prefix.count)))?.words else {
      throw CommandFailure(
        exitCode: 78,
        message: "the tenant \(name.shown) names no program, or has a quote that is not closed. "
          + "Use \(prefix)COMMAND, such as \"\(prefix)./my-source --verbose\"")
    }
    self = .command(words)
  }
}

extension SourceProgram {
  /// What an address of another scheme than https needs; without that, it would be taken for the name of a folder.
  private static func unusable(_ name: String, _ scheme: String) -> CommandFailure {
    let rest = String(name.dropFirst(scheme.utf8.count + "://".utf8.count))
    let text =
      switch scheme.lowercasedASCII {
      case "https": "Write https:// in lower case: https://\(rest.shown)"
      case "http":
        "A tenant service needs https. Use https://\(rest.shown); or, for a service on this machine that listens on a "
          + "loopback address without TLS, --tenant 'exec:mambridge-tenant source \(name.shown)'"
      default: "Name a folder, \"sample\", https://HOST for a tenant service, or exec:COMMAND"
      }
    return CommandFailure(exitCode: 78, message: "the tenant \(name.shown) cannot be used. \(text)")
  }
}

extension String {
  /// The scheme of a text that looks like an address, such as `http` of `http://host`; `nil` for any other.
  fileprivate var scheme: String? {
    let letters = utf8.prefix {
      $0.isAlphanumeric || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
    }
    guard letters.first?.isLetter ?? false, utf8.dropFirst(letters.count).starts(with: "://".utf8) else { return nil }
    return String(Substring(letters))
  }
}

extension TenantLocation {
  static let sampleName = "sample"

  /// What `--tenant` names. Throws exit code 78 if it is a folder that does not exist.
  init(argument name: String) throws {
    guard name != Self.sampleName else {
      self = .sample
      return
    }
    guard !name.isEmpty else {
      throw CommandFailure(
        exitCode: 78, message: "the tenant has an empty name. Name a folder, or \"\(Self.sampleName)\"")
    }
    if name.scheme != nil {
      throw CommandFailure(
        exitCode: 78,
        message: "\(name.shown) is an address, and only a folder can be used here. Bring a tenant into a folder with "
          + "`mambridge-tenant pull`")
    }
    let path = name.absolutePath
    var status = stat()
    guard stat(path, &status) == 0 else { throw Self.missing(name, path, SystemError.current) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(
        exitCode: 78, message: "the tenant \(path.shown) is not a folder. Name the folder with the tenant.json")
    }
    self = .folder(path)
  }

  private static func missing(_ name: String, _ path: String, _ reason: SystemError) -> CommandFailure {
    guard reason.number == ENOENT else {
      return CommandFailure(exitCode: 78, message: "cannot use the tenant folder \(path.shown): \(reason.text)")
    }
    let isMisspelt = [sampleName].nearest(to: name) != nil
    let hint =
      isMisspelt
      ? "Did you mean \"\(sampleName)\", the built-in tenant?"
      : "Create the folder with a tenant.json in it, or use --tenant \(sampleName), the built-in tenant"
    return CommandFailure(exitCode: 78, message: "there is no tenant folder at \(path.shown). \(hint)")
  }
}

extension String {
  /// The path, resolved against the current folder.
  var absolutePath: String {
    guard !hasPrefix("/") else { return self }
    let folder = getcwd(nil, 0)
    defer { free(folder) }
    return (folder.map { String(cString: $0) } ?? ".") + "/" + self
  }
}
