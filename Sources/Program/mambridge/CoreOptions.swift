import ArgumentParser
import Glibc
import MAM
import Model
import Support

/// The options of every command that works on a state folder. In one group: in a debug build, the parser checks all that
/// is in a group four times for each group around it.
struct CoreOptions: ParsableArguments {
  @Option(
    help: """
      Where policies come from: a tenant folder, "sample" for the built-in tenant, exec:COMMAND for a program, or the \
      https:// address of a tenant service (default: $MAMBRIDGE_TENANT).
      """, completion: .directory)
  var tenant: String?

  @Option(
    help: """
      The folder for all state (default: $MAMBRIDGE_STATE, or mambridge in $XDG_STATE_HOME or ~/.local/state).
      """, completion: .directory)
  var state: String?

  @Flag(
    name: .customLong("trust-parents"),
    help: "Do not check the owners and modes of the folders above the state folder.")
  var trustsParents = false

  @Flag(
    name: .shortAndLong,
    help: """
      Leave out the progress, the last line, which says what was done, and which variables chose the tenant and the state.
      """)
  var quiet = false

  @Option(
    name: .customLong("app-id"),
    help: "The app's bundle id (default: $MAMBRIDGE_APP_ID, or \(CoreArguments.defaultAppId)).")
  var appId: String?

  @Option(
    help: ArgumentHelp(
      """
      The clock to use: system, or manual, which stands still until debug.advanceClock moves it. manual=TIME starts at a \
      time such as 2026-01-31T09:30:00Z (default: $MAMBRIDGE_CLOCK, or system).
      """, valueName: "clock"), completion: .list(ClockChoice.allValueStrings))
  var clock: ClockChoice?

  @Option(
    help: "A file with the IntuneMAMSettings dictionary, or an Info.plist that contains it; JSON or plist.",
    completion: .file())
  var settings: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("A setting; overrides --settings. Repeatable.", valueName: "key=value"))
  var flags: [String] = []

  @Option(
    name: .customLong("debug-settings"),
    help: ArgumentHelp(
      """
      A test policy that every account gets instead of the tenant's policies: a MAMDebugSettings.plist, or JSON with \
      the same content. Requires the setting DebugSettingsEnabled.
      """, valueName: "file"), completion: .file())
  var debugSettings: String?

  @Option(
    help: ArgumentHelp(
      """
      The language of texts for users: en, pt, es, tr, it or ja, also in forms such as pt-BR or pt_BR.UTF-8. Any other \
      language means English (default: from LANGUAGE, LC_ALL, LC_MESSAGES and LANG).
      """, valueName: "locale"))
  var locale: String?

  @Option(
    name: .customLong("token-command"),
    help: ArgumentHelp(
      """
      If the tenant asks for tokens ("authentication" in tenant.json) and no host gives them, run this program, which \
      prints a token within 60 s, or {"accessToken": …, "expires": …}. Its environment says what the token is for: \
      MAMBRIDGE_ACCOUNT, MAMBRIDGE_ACCOUNT_ID, MAMBRIDGE_AUTHORITY, MAMBRIDGE_RESOURCE, MAMBRIDGE_SCOPES and \
      MAMBRIDGE_CLIENT_ID. Words are separated by spaces, and quotes keep words together; no shell is used.
      """, valueName: "command"))
  var tokenCommand: String?

  @Option(
    name: .customLong("key-file"),
    help: """
      The root secret is in this file: 32 bytes, mode 0600. The file is created if there are no keys yet (default: \
      keys/root.key in the state folder).
      """, completion: .file())
  var keyFile: String?

  @Option(
    name: .customLong("passphrase-fd"),
    help: ArgumentHelp(
      """
      The root secret is a passphrase: the first line read from this file descriptor. With 0, the requests follow after \
      that line.
      """, valueName: "number"))
  var passphraseDescriptor: Int32?

  @Option(
    name: .customLong("key-command"),
    help: ArgumentHelp(
      """
      The root secret is the output of this program, at least 32 bytes. Words are separated by spaces, and quotes keep \
      words together; no shell is used.
      """, valueName: "command"))
  var keyCommand: String?

  @Flag(
    name: .customLong("weak-passphrase"),
    help: "Allow a new passphrase of fewer than 8 characters. An existing store opens with one of any length.")
  var allowsWeakPassphrase = false

  var secret: SecretArguments {
    SecretArguments(
      keyFile: keyFile, passphraseDescriptor: passphraseDescriptor, keyCommand: keyCommand,
      allowsWeakPassphrase: allowsWeakPassphrase)
  }

  func validate() throws {
    if let fault = secret.fault { throw ValidationError(fault) }
    if let appId, !StateFolder.isAppId(appId) {
      throw ValidationError("\"\(appId)\" is not an app id: use 1 to 128 letters, digits, dots and dashes.")
    }
    if let tokenCommand, CommandWords(tokenCommand) == nil {
      throw ValidationError("The token command names no program, or has a quote that is not closed.")
    }
  }

  var arguments: CoreArguments {
    var arguments = CoreArguments()
    arguments.tenant = tenant
    arguments.state = state
    arguments.trustsParents = trustsParents
    arguments.isQuiet = quiet
    arguments.appId = appId
    arguments.clock = clock
    arguments.settings = settings
    arguments.flags = flags
    arguments.debugSettings = debugSettings
    arguments.locale = locale
    arguments.tokenCommand = tokenCommand
    arguments.secret = secret
    return arguments
  }
}

/// Rethrows an error of the core as a failure of the command, with exit code 1.
func coreResult<Result>(_ body: () throws(MAMError) -> Result) throws -> Result {
  do throws(MAMError) {
    return try body()
  } catch {
    throw CommandFailure(exitCode: 1, message: error.line)
  }
}

extension MAMError {
  /// One line with the code, what is wrong, what to do, and the path.
  var line: String {
    let place = path.map { " (\($0))" } ?? ""
    return "error \(code.number), \(description)\(place)"
  }
}

/// Finds a user's home in /etc/passwd. getpwuid would need the name service, which static programs lack.
enum UserHome {
  /// `nil` for an unknown user, and for a home that is not a folder or that anyone could create because it is in /tmp.
  static func folder(of user: uid_t) -> String? {
    guard let bytes = try? FileContents.read("/etc/passwd") else { return nil }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if let home = home(of: user, line: line) { return isUsable(home) ? home : nil }
    }
    return nil
  }

  /// Fields: name, password, user id, group id, comment, home, shell.
  private static func home(of user: uid_t, line: ArraySlice<UInt8>) -> String? {
    let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard fields.count >= 6, uid_t(String(decoding: fields[2], as: UTF8.self)) == user else { return nil }
    return String(decoding: fields[5], as: UTF8.self)
  }

  private static func isUsable(_ home: String) -> Bool {
    var status = stat()
    return home.hasPrefix("/") && home != "/tmp" && !home.hasPrefix("/tmp/")
      && stat(home, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
