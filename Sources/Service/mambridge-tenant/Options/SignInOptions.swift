import ArgumentParser
import Glibc
import HTTP
import ServiceSource
import SignIn
import SourceProtocol
import Support

/// Where the sign-ins of the user are kept.
struct TokenCacheOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The file with the user's sign-ins (default: $MAMBRIDGE_TOKEN_CACHE, or mambridge-tenant/sign-ins in $XDG_STATE_HOME \
      or ~/.local/state).
      """, valueName: "file"), completion: .file())
  var tokenCache: String?

  @Option(
    help: ArgumentHelp(
      """
      The file is sealed with the output of this program, at least 32 bytes (default: with a key file beside it). No shell \
      is used.
      """, valueName: "command"))
  var keyCommand: String?

  func validate() throws {
    guard keyCommand.map({ CommandWords($0) != nil }) ?? true else {
      throw ValidationError("--key-command must name a program, with each quote closed.")
    }
    guard tokenCache != "" else { throw ValidationError("--token-cache is empty. Name a file.") }
  }

  func makeCache() throws -> TokenCache {
    guard let cache = cacheIfPossible() else {
      throw CommandFailure.configuration(
        "cannot choose a token cache: HOME and XDG_STATE_HOME are not set. Pass --token-cache")
    }
    return cache
  }

  /// `nil` if no file is named, and the user has no folder for it.
  func cacheIfPossible() -> TokenCache? {
    let path = tokenCache ?? environment("MAMBRIDGE_TOKEN_CACHE") ?? Self.usualPath
    let words = keyCommand.flatMap { CommandWords($0)?.words }
    return path.flatMap(Self.absolute).map { TokenCache($0, keyCommand: words) }
  }

  private static var usualPath: String? {
    func folder(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let states = folder("XDG_STATE_HOME") ?? folder("HOME").map { $0 + "/.local/state" }
    return states.map { $0 + "/mambridge-tenant/sign-ins" }
  }

  private static func absolute(_ path: String) -> String? {
    guard !path.hasPrefix("/") else { return path }
    guard let current = getcwd(nil, 0) else { return nil }
    defer { free(current) }
    return String(cString: current) + "/" + path
  }
}

/// With what to sign in, in place of what the service says.
struct SignInOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The issuer of the tokens, exactly as it writes itself.", valueName: "url"))
  var issuer: String?

  @Option(help: ArgumentHelp("The client id with which to sign in.", valueName: "id"))
  var clientId: String?

  @Option(
    help: ArgumentHelp("A scope to ask for, in place of those of the service. Repeatable.", valueName: "scope"))
  var scope: [String] = []

  @Option(
    help: ArgumentHelp(
      """
      Send this as resource (RFC 8707), for providers that put it into the audience of the token. Entra refuses it.
      """, valueName: "text"))
  var resource: String?

  var choices: SignInChoices {
    SignInChoices(issuer: issuer, clientId: clientId, scopes: scope, resource: resource)
  }
}

struct AccountOption: ParsableArguments {
  @Option(help: ArgumentHelp("The user who signs in, by user principal name or object id.", valueName: "name"))
  var account: String?

  var wanted: SourceAccount { SourceAccount(accountId: nil, identity: account) }
}

/// Shows a person where to sign in.
enum TerminalPrompt {
  @Sendable static func show(_ prompt: SignInPrompt) async -> Bool {
    PullProgress.clear()
    printError(prompt.message)
    return true
  }

  /// `nil` if nobody reads standard error.
  static var ifTerminal: (@Sendable (SignInPrompt) async -> Bool)? { isatty(STDERR_FILENO) == 1 ? show : nil }
}

extension SignInFailure {
  var commandFailure: CommandFailure {
    let code: Int32 =
      switch kind {
      case .personNeeded, .refused: EX_NOPERM
      case .declined, .canceled: EXIT_FAILURE
      case .unavailable: EX_UNAVAILABLE
      case .cache, .cacheBusy: EX_IOERR
      }
    return CommandFailure(exitCode: code, message: text)
  }
}

extension Cancellation {
  /// Waits for a sign-in, which a signal cancels.
  func value<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(SignInFailure) -> Value
  ) throws -> Value {
    let outcome = Lock<Result<Value, SignInFailure>>(.failure(SignInFailure(.canceled, "The sign-in was canceled.")))
    _ = try waiting { [self] in
      await run {
        do throws(SignInFailure) {
          let value = try await body()
          outcome.withLock { $0 = .success(value) }
        } catch {
          outcome.withLock { $0 = .failure(error) }
        }
        return EXIT_SUCCESS
      }
    }
    switch outcome.withLock({ $0 }) {
    case .success(let value): return value
    case .failure(let failure):
      var failed = failure.commandFailure
      if failure.kind == .canceled, let exitCode { failed = CommandFailure(exitCode: exitCode, message: failure.text) }
      throw failed
    }
  }
}
