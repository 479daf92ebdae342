import ArgumentParser
import CGlibc
import HTTP
import JSONRPC
import ServiceSource
import SignIn
import Transport

struct RunSource: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "source",
    abstract: "Act as mambridge's policy source for a tenant service. mambridge starts this itself.",
    discussion: """
      Speaks the protocol of policy sources (mambridge schema --source) on standard input and output, and ends when its \
      input ends. mambridge starts it for --tenant https://…. Start it yourself to give it options:

        mambridge --tenant 'exec:mambridge-tenant source https://mam.contoso.example --ca contoso.pem'

      If a request fails, the source returns an error with a sentence, which mambridge logs: the host is unknown, the \
      certificate has expired, the service is too busy. The last policy then stays in force. While mambridge wants to hear \
      of changes, the source keeps one request open at the service, which answers when an administrator orders a wipe or \
      changes a policy.

      For users who have signed in with mambridge-tenant login, the source gets the tokens itself. If nobody is signed in \
      and mambridge says that a person is there, the source asks for a sign-in by device code. --no-sign-in turns both \
      off: then tokens come only from the host program or from mambridge's --token-command.

      Access tokens are kept no longer than the request that they come with, and secrets of registrations only in memory, which \
      other processes of the user cannot read and no core dump holds.

      \(MambridgeTenant.exitCodes)
      """)

  @Argument(help: ServiceAddress.help) var service: ServiceAddress

  @Flag(help: "Never sign in: tokens come from mambridge alone.")
  var noSignIn = false

  @OptionGroup(title: "Sign-in") var signIn: SignInOptions

  @OptionGroup(title: "Token cache") var cache: TokenCacheOptions

  @OptionGroup(title: "Requests") var client: ClientOptions

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      let signals = TerminationSignals()
      let http = try client.makeClient()
      let handler = SourceHandler(TenantServiceClient(service.url, http), signIn: makeSignIn(http))
      let loop = StdioLoop(signals: signals) { wake in Session(handler: handler, wake: wake) }
      // Only now: without access to its own /proc/self/fd, the loop could not reopen its pipes.
      cglibc_hide_memory()
      return loop.run()
    }
  }

  /// `nil` if the user has no folder for a token cache.
  private func makeSignIn(_ http: any HTTPClient) -> ServiceSignIn? {
    guard !noSignIn, let cache = cache.cacheIfPossible() else { return nil }
    return ServiceSignIn(service.url, signIn.choices, cache: cache, http: http)
  }
}
