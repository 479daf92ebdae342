import ArgumentParser
import Glibc
import SignIn
import Support

struct LogOut: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "End a sign-in of login: remove its refresh token, and revoke it.",
    usage: "mambridge-tenant logout [<service>] [--account <name>] [<options>]",
    discussion: """
      Removes sign-ins from the token cache, and revokes their refresh tokens at providers that offer that. If a provider \
      does not revoke a token, the sign-in is removed here, and a warning says that the token may still be valid. Access \
      tokens that were given before stay valid until they expire.

      With several accounts, name one with --account, or pass --all. Data and policies of enrolled apps stay; see the \
      unenrollment of mambridge.

      Exit codes: 0 signed out, or nobody was signed in; 64 invalid command line; 69 signed out here, but a provider did \
      not revoke the token; 74 the token cache cannot be used; 77 several accounts fit, and none is named; 78 invalid \
      configuration.

      Examples:

        mambridge-tenant logout https://mam.contoso.example

        mambridge-tenant logout --account alice@contoso.example
      """)

  @Argument(help: "Sign out of this service only.") var service: ServiceAddress?

  @Option(help: ArgumentHelp("Sign out this user only.", valueName: "name"))
  var account: String?

  @Option(help: ArgumentHelp("Sign out at this provider only.", valueName: "url"))
  var issuer: String?

  @Flag(help: "Sign out all accounts that fit.")
  var all = false

  @OptionGroup(title: "Token cache") var cache: TokenCacheOptions

  @OptionGroup(title: "Requests") var client: ClientOptions

  func run() throws {
    MambridgeTenant.prepareProcess()
    let cancellation = Cancellation()
    try reportingFailure {
      let signOut = SignOut(try cache.makeCache(), try client.makeClient())
      let choice = SignOut.Choice(service: service?.url, account: account, provider: issuer, takesSeveral: all)
      let outcomes = try cancellation.value { () async throws(SignInFailure) in try await signOut.run(choice) }
      return try Self.report(outcomes)
    }
  }

  private static func report(_ outcomes: [SignOut.Outcome]) throws -> Int32 {
    var code = EXIT_SUCCESS
    for outcome in outcomes {
      switch outcome.revocation {
      case .revoked: break
      case .notOffered:
        printError(
          "warning: \(outcome.signIn.provider) cannot revoke a refresh token, so this one is valid until it expires. "
            + "End the user's sessions at the provider.")
      case .failed(let why):
        printError("warning: the refresh token may still be valid at \(outcome.signIn.provider). \(why)")
        code = EX_UNAVAILABLE
      }
      let place = outcome.signIn.service ?? outcome.signIn.provider
      try printResult("signed out \(outcome.signIn.account.shownName) of \(place)\n")
    }
    if outcomes.isEmpty { try printResult("nobody was signed in\n") }
    return code
  }
}
