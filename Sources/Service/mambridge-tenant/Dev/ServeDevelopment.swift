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
      Serves a made-up company on one loopback address: the tenant service, Graph to read and to wipe, and an identity \
      provider in the shapes of Microsoft Entra, where signing in is choosing a user. Prints commands to try, which work \
      as they are printed. Everything ends with the process, unless a folder is named.

      It is for development alone. Tokens, pages and log lines say so, mambridge-tenant serve refuses its tokens, and it \
      listens on loopback only. Other users of the machine and pages in a browser can reach that, too: so tokens without \
      a person's click, and the choice on the sign-in page, need the secret of the run, which is in a file that only you \
      can read, and in the Browser link. Treat the link as a password.

      The certificate is made for the run, for seven days and for this machine, and signs nothing else. Trust it in one \
      shell only, with the line that is printed. --http is for programs that cannot do that; hosts are refused there, \
      because whoever takes the port later could pose as the tenant.

      The tenant's files are in the folder tenant; they are read again within a second when they change. Users in the \
      group Administrators may read and wipe.

      \(MambridgeTenant.exitCodes)

      Examples:

        # A tenant that ends with Ctrl-C
        mambridge-tenant dev

        # One to keep, for a web app that is at port 3000
        mambridge-tenant dev contoso-dev \\
          --redirect-uri http://localhost:3000/signed-in
      """)

  @Argument(help: "A folder to keep the tenant in; made if it does not exist.", completion: .directory)
  var folder: String?

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

  @Flag(help: "Print one line of JSON with addresses and the path of the file that has the secret.")
  var json = false

  func validate() throws {
    guard !ephemeral || folder == nil && listen == nil else {
      throw ValidationError("--ephemeral takes neither a folder nor --listen.")
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
        let folder = try folder.map(DevelopmentFolder.kept) ?? .throwaway()
        defer { folder.end() }
        let composition = DevelopmentComposition(
          address: address, folder: folder, redirects: registered, printsJSON: json)
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
