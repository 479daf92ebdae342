import ArgumentParser
import Glibc
import HTTP
import ServiceSource
import SignIn
import Support

struct LogIn: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "login",
    abstract: "Sign in, so that mambridge and the commands here get tokens by themselves.",
    usage: "mambridge-tenant login [<service>] [--account <name>] [<options>]",
    discussion: """
      Shows a code and an address on standard error, and waits until somebody has entered the code there, on any device. \
      Then keeps a refresh token in the token cache, sealed, for this user of this machine alone. Access tokens are never \
      written to disk.

      With the address of a service, the service says who gives its tokens and with which client to sign in; the sign-in \
      then serves this service only. Without one, --issuer, --client-id and --scope are needed, and the sign-in serves \
      every service that asks for the same scopes. Options come before what the service says.

      With --account, nothing is kept if somebody else signs in.

      Exit codes: 0 signed in; 1 the sign-in was declined, or nobody signed in in time; 64 invalid command line; 69 the \
      service or the provider cannot be reached; 74 the token cache cannot be used; 77 the provider or the service refuses; \
      78 invalid configuration; 130 or 143 ended by a signal.

      Examples:

        mambridge-tenant login https://mam.contoso.example

        # A provider that wants a resource, and a client of your own
        mambridge-tenant login https://mam.contoso.example --client-id $CLIENT --resource https://mam.contoso.example

        # For all services whose tokens have this scope
        mambridge-tenant login --issuer https://login.contoso.example --client-id $CLIENT --scope mam
      """)

  @Argument(help: ServiceAddress.help) var service: ServiceAddress?

  @OptionGroup var account: AccountOption

  @OptionGroup(title: "Sign-in") var signIn: SignInOptions

  @OptionGroup(title: "Token cache") var cache: TokenCacheOptions

  @OptionGroup(title: "Requests") var client: ClientOptions

  func validate() throws {
    guard service != nil || signIn.issuer != nil && signIn.clientId != nil && !signIn.scope.isEmpty else {
      throw ValidationError("Name the address of a service, or --issuer, --client-id and --scope.")
    }
  }

  func run() throws {
    MambridgeTenant.prepareProcess()
    let cancellation = Cancellation()
    try reportingFailure {
      let (http, cache) = (try client.makeClient(), try cache.makeCache())
      let (choices, service, wanted) = (signIn.choices, service?.url, account.wanted)
      let line = try cancellation.value { () async throws(SignInFailure) in
        let target = try await Self.target(choices, service, http)
        let signIn = SignIn(target, account: wanted, cache: cache, http: http)
        let tokens = try await signIn.withDeviceCode(mustKeep: true, show: TerminalPrompt.show)
        return "signed in as \(signIn.account(of: tokens).shownName) for \(service ?? target.provider)\n"
      }
      try printResult(line)
      return EXIT_SUCCESS
    }
  }

  private static func target(
    _ choices: SignInChoices, _ service: String?, _ http: any HTTPClient
  ) async throws(SignInFailure) -> SignInTarget {
    if let service { return try await TenantServiceClient(service, http).signInTarget(choices) }
    return SignInTarget(
      choices.issuer ?? "", clientId: choices.clientId ?? "", scopes: choices.scopes,
      resource: choices.resource)
  }
}
