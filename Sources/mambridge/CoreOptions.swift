import ArgumentParser
import Bridge
import Glibc
import MAM
import Support

/// What every command that works on a state folder takes.
struct CoreOptions: ParsableArguments {
  enum ClockKind: String, ExpressibleByArgument, CaseIterable { case system, manual }

  @Option(help: "Where policies come from: a tenant folder, or \"sample\" for the built-in one.", completion: .directory)
  var tenant: String?

  @Option(
    help: "The folder that holds all state (default: mambridge in the XDG state folder).", completion: .directory)
  var state: String?

  @Option(name: .customLong("app-id"), help: "The app's bundle id.")
  var appId = "com.example.host"

  @Option(help: "The clock: system, or manual, which stands still until it is advanced.")
  var clock = ClockKind.system

  @Option(
    help: "An IntuneMAMSettings dictionary, or an Info.plist that holds one, as JSON or plist.", completion: .file())
  var settings: String?

  @Option(name: .customLong("set"), help: ArgumentHelp("One setting; wins over the file.", valueName: "key=value"))
  var flags: [String] = []

  func validate() throws {
    guard StateFolder.isAppId(appId) else {
      throw ValidationError("\"\(appId)\" is no app id: use 1 to 128 letters, digits, dots and dashes.")
    }
  }

  func makeBridge() throws -> Bridge {
    Bridge(core: try makeCore(), version: Mambridge.version)
  }

  var stateFolder: StateFolder { StateFolder(root: stateRoot, appId: appId) }

  private func makeCore() throws -> Core {
    var configuration = CoreConfiguration(
      stateFolder: stateFolder, tenant: tenantLocation, settings: try loadSettings(), clock: makeClock())
    configuration.reportWarning = { printError("mambridge: \($0)") }
    return Core(configuration)
  }

  private var stateRoot: String {
    if let state { return state.absolutePath }
    let home = environment("HOME") ?? "/tmp"
    return (environment("XDG_STATE_HOME") ?? home + "/.local/state") + "/mambridge"
  }

  private var tenantLocation: TenantLocation {
    switch tenant {
    case nil: .none
    case "sample": .sample
    case let path?: .folder(path.absolutePath)
    }
  }

  private func makeClock() -> any Clock {
    switch clock {
    case .system: SystemClock()
    case .manual: ManualClock(startingAt: SystemClock().now)
    }
  }

  private func loadSettings() throws -> Settings {
    do {
      var values = try settings.map { try Settings(path: $0) } ?? Settings()
      for flag in flags { try values.set(flag: flag) }
      return values
    } catch let error as SettingsError {
      throw CommandFailure(exitCode: 78, message: error.message)
    }
  }
}

private func environment(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}

extension String {
  /// So that a later change of folder by nobody can matter.
  fileprivate var absolutePath: String {
    guard !hasPrefix("/") else { return self }
    let folder = getcwd(nil, 0)
    defer { free(folder) }
    return (folder.map { String(cString: $0) } ?? ".") + "/" + self
  }
}
