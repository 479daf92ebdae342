import ArgumentParser
import Glibc
import Support

#if TenantService
  import Development
  import HTTPNetwork
#endif

struct ServeDevelopment: ParsableCommand {
  static let usualPort = 8480

  static let configuration = CommandConfiguration(
    commandName: "dev",
    abstract: "Run a tenant to develop with: users, policies, Graph and an identity provider on this machine.",
    usage: "mambridge-tenant dev [<folder>] [--listen <url>] [--http] [<options>]",
    discussion: """
      Serves a made-up company on one loopback address: the tenant service, the paths of Microsoft Graph, and an \
      identity provider in the shapes of Microsoft Entra, where signing in is choosing a user. Prints commands to try, which work \
      as they are printed. Everything ends with the process, unless a folder is named.

      It is for development alone. Tokens, pages and log lines say so, mambridge-tenant serve refuses its tokens, and it \
      listens on loopback only. Other users of the machine and pages in a browser can reach that, too: so tokens without \
      a person's click, and the choice on the sign-in page, need the secret of the run, which is in a file that only you \
      can read, and in the Browser link. Treat the link as a password.

      The certificate is made for the run, for seven days and for this machine, and signs nothing else. Trust it in one \
      shell only, with the line that is printed. --http is for programs that cannot do that; hosts are refused there, \
      because whoever takes the port later could pose as the tenant.

      The tenant's files are in the folder tenant; they are read again within a second when they change. Users in the \
      group Administrators may read, wipe, and change policies, users and groups through Graph.

      On the sign-in page, a person can also choose that a sign-in fails as it does at Entra: a second factor is needed, \
      consent is missing, the code expires, or the account is disabled.

      The page in the Browser link shows users, policies, registrations, sign-ins that wait and the last requests, and \
      plants faults. Each of its clicks is a request, which it copies as curl.

      Requests to /dev with the secret of the run (mambridge-tenant dev-token --secret) control the tenant:

        /dev/faults           GET lists faults and kinds, POST plants one,
                              PUT all, DELETE ends them
        /dev/snapshots/NAME   PUT keeps the tenant and its registrations,
                              POST brings them back, DELETE forgets them
        /dev/snapshots        GET lists their names
        /dev/reset            POST brings back what this run began with
        /dev/reload           POST reads the tenant's folder at once
        /dev/requests         GET returns the last requests, with
                              ?since=NUMBER&wait=25 those that come
        /dev/sign-ins         GET lists the device codes that wait

      A fault is {"at": PLACE, "kind": KIND, "times": N, "delay": "PT1.5S"}. It hits the next N answers at the place, or \
      every answer if times is absent. delay is how long the kind slow waits, and the Retry-After of 429 and 503. Every \
      place has the kinds of the first row; the other rows add kinds for some places:

        checkIn, graph,   unreachable, cut, malformed, slow,
        token, keys       tooManyRequests (429), serviceUnavailable (503)
        checkIn, graph    expired, refused, claimsChallenge (all 401)
        graph             nextLinkLoop
        token             disabled, mfaRequired, consentRequired, expired,
                          otherUser

      A restore and a reset end faults and sign-ins.

      \(MambridgeTenant.exitCodes)

      Examples:

        # A tenant that ends with Ctrl-C
        mambridge-tenant dev

        # One to keep, for a web app that is at port 3000
        mambridge-tenant dev contoso-dev \\
          --redirect-uri http://localhost:3000/signed-in

        # The next two check-ins get status 503
        curl https://127.0.0.1:8480/dev/faults \\
          -H "Authorization: Bearer $(mambridge-tenant dev-token --secret)" \\
          -d '{"at": "checkIn", "kind": "serviceUnavailable", "times": 2}'
      """)

  @Argument(help: "A folder to keep the tenant in; made if it does not exist.", completion: .directory)
  var folder: String?

  @Option(
    help: ArgumentHelp(
      """
      Serve this tenant folder instead of a made-up company. It is kept when dev ends; a restore, a reset and writes \
      through Graph change it.
      """, valueName: "folder"), completion: .directory)
  var tenant: String?

  @Option(
    help: ArgumentHelp(
      "Listen at this loopback address (default: https://127.0.0.1:\(usualPort), or http with --http).",
      valueName: "url"))
  var listen: String?

  @Flag(help: "Serve plain http: Graph and the identity provider only.")
  var http = false

  @Option(
    name: .customLong("redirect-uri"),
    help: ArgumentHelp(
      """
      Let a sign-in lead back to this address of this machine, and its pages read answers. http://localhost is \
      registered, at any port. Repeatable.
      """, valueName: "url"))
  var redirects: [String] = []

  @Flag(help: "Listen at any free port, and keep nothing.")
  var ephemeral = false

  @Flag(help: "End when the standard input ends, as a child of a test does.")
  var untilStdinEnds = false

  @Flag(help: "Answer the requests of mambridge sandbox on the standard input, and end with it.")
  var requests = false

  @Flag(help: "Print one line of JSON with addresses and the path of the file that has the secret.")
  var json = false

  func validate() throws {
    guard !ephemeral || folder == nil && listen == nil else {
      throw ValidationError("--ephemeral takes neither a folder nor --listen.")
    }
    guard !requests || ephemeral && !http && !json else {
      throw ValidationError("--requests needs --ephemeral, and takes neither --http nor --json.")
    }
    guard tenant == nil || folder == nil else {
      throw ValidationError("--tenant does not go with a folder, which has a tenant of its own.")
    }
  }

  private var address: String {
    listen ?? "\(http ? "http" : "https")://127.0.0.1:\(ephemeral ? 0 : Self.usualPort)"
  }

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let address = try loopbackAddress()
        let registered: RegisteredRedirects
        do throws(UnusableRedirect) { registered = try RegisteredRedirects(redirects) } catch {
          throw CommandFailure(exitCode: EX_USAGE, message: "--redirect-uri: \(error)")
        }
        let folder = try folder.map(DevelopmentFolder.kept) ?? .throwaway(tenant: tenant)
        defer { folder.end() }
        let composition = DevelopmentComposition(
          address: address, folder: folder, redirects: registered, printsJSON: json, endsWithStdin: untilStdinEnds,
          answersRequests: requests)
        try waiting { try await composition.run() }
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }

  #if TenantService
    private func loopbackAddress() throws -> ServerAddress {
      let parsed: ServerAddress
      do throws(NetworkError) { parsed = try ServerAddress(address) } catch {
        throw CommandFailure(exitCode: EX_USAGE, message: "--listen: \(error.description)")
      }
      guard parsed.isLoopback else {
        throw CommandFailure(
          exitCode: EX_USAGE,
          message:
            "--listen: a development tenant listens on loopback only, such as https://127.0.0.1:\(Self.usualPort). "
            + "For others, run mambridge-tenant serve with a real identity provider.")
      }
      guard parsed.usesTLS != http else {
        throw CommandFailure(
          exitCode: EX_USAGE,
          message: "--listen and --http do not fit: use --http with http://, and https:// without it.")
      }
      return parsed
    }
  #endif
}
