import ArgumentParser
import Glibc
import GraphPull
import HTTP
import Model
import ServiceSource
import SignIn
import SourceProtocol
import Support

/// How pull signs in to Microsoft Graph.
struct GraphOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The application (client) id of the app registration.", valueName: "id"))
  var clientId: String?

  @Option(
    help: ArgumentHelp("The directory (tenant) id, a GUID or a domain such as contoso.com.", valueName: "id"))
  var directoryId: String?

  @Option(
    help: ArgumentHelp("Sign in as the app with the client secret in this file.", valueName: "file"),
    completion: .file())
  var clientSecretFile: String?

  @Option(
    help: ArgumentHelp(
      "Sign in as the app with the certificate and the RSA key in this file, in PEM.", valueName: "file"),
    completion: .file())
  var certificate: String?

  @Option(
    help: ArgumentHelp(
      """
      Run this command for a token, which it prints as such or as {"accessToken", "expires"}. What the token is for is in \
      MAMBRIDGE_AUTHORITY, MAMBRIDGE_RESOURCE, MAMBRIDGE_SCOPES and MAMBRIDGE_CLIENT_ID. No shell is used.
      """, valueName: "command"))
  var tokenCommand: String?

  @Option(help: ArgumentHelp("Where Graph is. National clouds have other addresses.", valueName: "url"))
  var graph = "https://graph.microsoft.com"

  @Option(
    help: ArgumentHelp(
      """
      Read the tenant that this tenant service serves, in place of Graph. The token needs a role that may read; without \
      --token-command, sign in as with mambridge-tenant login.
      """, valueName: "url"))
  var service: ServiceAddress?

  @Option(help: ArgumentHelp("Where to sign in. National clouds have other addresses.", valueName: "url"))
  var authority = "https://login.microsoftonline.com"

  @OptionGroup var account: AccountOption

  @OptionGroup(title: "Token cache") var cache: TokenCacheOptions

  @OptionGroup(title: "Requests") var client: ClientOptions

  func validate() throws {
    let ways = [clientSecretFile, certificate, tokenCommand].compactMap { $0 }
    guard ways.count <= 1 else {
      throw ValidationError("Say one way to sign in: --client-secret-file, --certificate or --token-command.")
    }
    try service == nil ? validateGraph() : validateService()
    guard tokenCommand.map({ CommandWords($0) != nil }) ?? true else {
      throw ValidationError("--token-command must name a program, with each quote closed.")
    }
  }

  private func validateService() throws {
    guard clientSecretFile == nil, certificate == nil, directoryId == nil else {
      throw ValidationError(
        "--service takes a token of --token-command or of mambridge-tenant login. Leave out --client-secret-file, "
          + "--certificate and --directory-id.")
    }
  }

  private func validateGraph() throws {
    let ways = [clientSecretFile, certificate, tokenCommand].compactMap { $0 }
    guard tokenCommand != nil || clientId != nil && directoryId != nil else {
      throw ValidationError("Name the app registration: --client-id and --directory-id.")
    }
    guard !ways.isEmpty || directoryId?.isGUID == true else {
      throw ValidationError("To sign in as yourself, give --directory-id as a GUID, which is in the issuer's name.")
    }
    for (name, text) in [("--graph", graph), ("--authority", authority)] {
      guard let url = WebURL(text), url.scheme == "https" || url.isLoopback else {
        throw ValidationError("\(name) must be an address with https; plain http is for this machine only.")
      }
    }
  }

  /// Reads from Graph or from the service. `progress` shows how far the pull is.
  func makePull(leavingOutWindows: Bool, progress: @escaping TenantPull.Progress) throws -> TenantPull {
    guard let service else {
      return TenantPull(
        client: try makeGraph(), directory: directoryId, leavesOutWindows: leavingOutWindows, progress: progress)
    }
    let access = ServiceAccess(
      tokenCommand: tokenCommand, choices: SignInChoices(issuer: nil, clientId: clientId, scopes: [], resource: nil),
      account: account.wanted, cache: cache)
    return TenantPull(
      client: try access.client(of: service, try client.makeClient()), directory: nil,
      leavesOutWindows: leavingOutWindows, leavesOutFilters: true, progress: progress)
  }

  private func makeGraph() throws -> GraphClient {
    guard let root = WebURL(graph) else { throw CommandFailure.configuration("\(graph) is not an address.") }
    let http = try client.makeClient()
    return GraphClient(root: root, http: http, tokens: try tokens(root.origin, http))
  }

  private func tokens(_ resource: String, _ http: any HTTPClient) throws -> any GraphTokens {
    if let words = tokenCommand.flatMap({ CommandWords($0)?.words }) {
      return GraphTokenCommand(words: words, authority: authority, resource: resource, clientId: clientId ?? "")
    }
    guard clientSecretFile != nil || certificate != nil else { return try delegated(resource, http) }
    return ClientCredentials(
      authority: authority, directory: directoryId ?? "", clientId: clientId ?? "", proof: try proof(),
      resource: resource, http: http)
  }

  /// Tokens of a person.
  private func delegated(_ resource: String, _ http: any HTTPClient) throws -> SignedInTokens {
    let base = authority.hasSuffix("/") ? String(authority.dropLast()) : authority
    let target = SignInTarget(
      "\(base)/\(directoryId ?? "")/v2.0", clientId: clientId ?? "", scopes: [resource + "/.default"],
      service: resource, serviceSaysHow: false)
    let signIn = SignIn(target, account: account.wanted, cache: try cache.makeCache(), http: http)
    return SignedInTokens(prompt: TerminalPrompt.ifTerminal) { signIn }
  }

  private func proof() throws -> ClientCredentials.Proof {
    if let file = clientSecretFile {
      let text = String(decoding: try read(file), as: UTF8.self)
      let secret = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      guard !secret.isEmpty else {
        throw CommandFailure.configuration("\(file) is empty; it must have the client secret.")
      }
      return .secret(secret)
    }
    let file = certificate ?? ""
    let text = try read(file)
    do throws(GraphFailure) {
      return try .certificate(pem: text, file: file)
    } catch {
      throw CommandFailure.configuration(error.text)
    }
  }

  private func read(_ file: String) throws -> [UInt8] {
    do throws(SystemError) {
      return try FileContents.read(file)
    } catch {
      throw CommandFailure.configuration("cannot read \(file): \(error.text)")
    }
  }
}

/// How administrators sign in to a tenant service.
struct AdministratorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Run this command for an access token with an administrator's role, which it prints as such or as \
      {"accessToken", "expires"}. The service is in MAMBRIDGE_RESOURCE. No shell is used (default: sign in as with \
      mambridge-tenant login).
      """, valueName: "command"))
  var tokenCommand: String?

  @OptionGroup var account: AccountOption

  @OptionGroup(title: "Sign-in") var signIn: SignInOptions

  @OptionGroup(title: "Token cache") var cache: TokenCacheOptions

  @OptionGroup(title: "Requests") var client: ClientOptions

  func validate() throws {
    guard tokenCommand.map({ CommandWords($0) != nil }) ?? true else {
      throw ValidationError("--token-command must name a program, with each quote closed.")
    }
  }

  func makeAdministration(of service: ServiceAddress) throws -> ServiceAdministration {
    let access = ServiceAccess(
      tokenCommand: tokenCommand, choices: signIn.choices, account: account.wanted, cache: cache)
    return ServiceAdministration(try access.client(of: service, try client.makeClient()))
  }
}

/// How a command gets the tokens that a tenant service asks of administrators.
private struct ServiceAccess {
  /// `nil` to sign in.
  let tokenCommand: String?
  let choices: SignInChoices
  let account: SourceAccount
  let cache: TokenCacheOptions

  /// Speaks with the side of the service that answers as Graph does.
  func client(of service: ServiceAddress, _ http: any HTTPClient) throws -> GraphClient {
    guard let root = WebURL(service.url) else {
      throw CommandFailure.configuration("\(service.url) is not an address.")
    }
    return GraphClient(root: root, http: http, tokens: try tokens(of: service.url, http))
  }

  private func tokens(of service: String, _ http: any HTTPClient) throws -> any GraphTokens {
    if let words = tokenCommand.flatMap({ CommandWords($0)?.words }) {
      return GraphTokenCommand(words: words, authority: "", resource: service, clientId: "")
    }
    let (choices, wanted, cache) = (choices, account, try cache.makeCache())
    return SignedInTokens(prompt: TerminalPrompt.ifTerminal) { () async throws(SignInFailure) in
      let target = try await TenantServiceClient(service, http).signInTarget(choices)
      return SignIn(target, account: wanted, cache: cache, http: http)
    }
  }
}

extension GraphFailure {
  var commandFailure: CommandFailure { CommandFailure(exitCode: kind.exitCode, message: text) }
}

extension GraphFailure.Kind {
  var exitCode: Int32 {
    switch self {
    case .signIn, .forbidden: EX_NOPERM
    case .unavailable: EX_UNAVAILABLE
    case .notFound, .refused, .unusable: EXIT_FAILURE
    }
  }
}
