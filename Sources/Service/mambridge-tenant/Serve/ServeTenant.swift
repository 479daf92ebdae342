import ArgumentParser
import Glibc
import Support
import TenantService

struct ServeTenant: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve a tenant to hosts and administrators over HTTPS.",
    usage: "mambridge-tenant serve [<folder>] --listen <url> --issuer <url> --audience <text> [<options>]",
    discussion: """
      With a SQLite store, serves the tenant folder, which is read again within a second when it changes. With PostgreSQL, \
      any number of replicas serve what mambridge-tenant publish has put into the database, and there is no folder. A \
      tenant that cannot be read changes nothing: the last good one is served, and the log says what is wrong.

      What is missing from a version was not removed by anybody. If more than a tenth of the users or policies \
      (--most-removals) would go, the last of either, or everybody from a group that a policy is assigned to, the tenant \
      keeps them; the rest of the version applies at once. The log, /health/ready and mambridge_held_removals say so. \
      Restore what is missing, or let it go with mambridge-tenant accept.

      Users prove who they are with access tokens of the issuer for the audience; serve reads the issuer's keys as OpenID \
      Connect Discovery says. Hosts sign in as --scope and --client-id say; without both, as tenant.json says in \
      "authentication", or else for the first audience.

      The files of the certificate are read again when they change; a pair that does not fit leaves the old one in use. \
      Plain http is for loopback addresses only, for example behind a proxy that ends TLS.

      When it listens, prints one line {"listening":…,"metrics":…} on stderr, and then a line for each request and event, \
      with the time unless journald adds it. SIGTERM and SIGINT end it: hosts that wait for changes are answered at once, \
      and other requests have 30 s.

      \(MambridgeTenant.exitCodes)

      Examples:

        # A service for a company, with metrics for Prometheus
        mambridge-tenant serve /srv/tenant --store sqlite:/var/lib/mambridge-tenant/store.sqlite \\
          --listen https://0.0.0.0:443 --certificate server.pem --private-key server.key \\
          --issuer https://login.contoso.example --audience api://mambridge \\
          --metrics http://127.0.0.1:9400

        # A replica of several
        mambridge-tenant serve --store 'postgresql://mam@db.example/mam?sslmode=verify-full' \\
          --listen https://0.0.0.0:443 --certificate server.pem --private-key server.key \\
          --public-url https://mam.contoso.example \\
          --issuer https://login.contoso.example --audience api://mambridge
      """)

  @Argument(help: "The tenant folder; only with a SQLite store.", completion: .directory)
  var folder: String?

  @OptionGroup(title: "Network") var network: ServerOptions

  @OptionGroup(title: "Tokens") var tokens: TokenOptions

  @Option(
    help: ArgumentHelp(
      """
      Where registrations, operations and the audit are: sqlite:PATH, or postgresql://USER@HOST/DATABASE (default: \
      store.sqlite in the folder that systemd gives, $STATE_DIRECTORY).
      """, valueName: "store"))
  var store: String?

  @Flag(
    help: ArgumentHelp(
      """
      Let callers with a --write-role change policies through Graph. Changes are written to the tenant folder or, with \
      PostgreSQL, published for all replicas.
      """))
  var writable = false

  @OptionGroup(title: "Removals") var removals: RemovalOptions

  @Option(
    name: .customLong("unknown-restrictions"),
    help: ArgumentHelp(
      """
      What hosts do with a policy that sets what they do not know and what may restrict: report, or block the accounts \
      that it applies to (default: as tenant.json says in "unknownRestrictions").
      """, valueName: "report|block"))
  var unknownRestrictions: UnknownRestrictionsChoice?

  @Option(
    name: .customLong("limit"),
    help: ArgumentHelp(ServeLimits.help, valueName: "name=value"))
  var limits: [String] = []

  @OptionGroup(title: "Requests to the issuer") var client: ClientOptions

  func validate() throws {
    do throws(LimitFlagError) { _ = try ServeLimits(limits) } catch { throw ValidationError("--limit: \(error)") }
    do throws(UnknownRight) {
      _ = try tokens.administrators()
    } catch {
      throw ValidationError("--admin-role and --admin-scope: \(error)")
    }
    guard writable != tokens.writeRole.isEmpty else {
      throw ValidationError(
        writable
          ? "--writable needs a --write-role ROLE: nobody may write without one."
          : "--write-role is only for a service with --writable.")
    }
  }

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let limits = try ServeLimits(limits)
        let location = try StoreLocation(store ?? StoreLocation.fromSystemd, folder: folder)
        let composition = ServiceComposition(
          location: location, network: network, tokens: tokens, limits: limits, removals: removals.limit,
          blocksUnknown: unknownRestrictions.map { $0 == .block }, isWritable: writable,
          client: try client.makeClient())
        try waiting { try await composition.run() }
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }
}

enum UnknownRestrictionsChoice: String, ExpressibleByArgument, CaseIterable {
  case report, block
}

/// Where the service listens.
struct ServerOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Listen here: https://ADDRESS:PORT, or http://127.0.0.1:PORT. Port 0 picks a free port.", valueName: "url"))
  var listen: String

  @Option(
    help: ArgumentHelp(
      "The certificate of the service in PEM, followed by those of authorities in between.", valueName: "file"),
    completion: .file())
  var certificate: String?

  @Option(
    name: .customLong("private-key"),
    help: ArgumentHelp("The private key of the certificate in PEM, without a passphrase.", valueName: "file"),
    completion: .file())
  var privateKey: String?

  @Option(
    name: .customLong("public-url"),
    help: ArgumentHelp(
      "Where clients find the service, for links in answers (default: where it listens).", valueName: "url"))
  var publicURL: String?

  @Option(
    name: .customLong("trusted-proxy"),
    help: ArgumentHelp(
      "A proxy with this IP address may have any number of connections for its clients. Repeatable.",
      valueName: "address"))
  var trustedProxy: [String] = []

  @Option(help: ArgumentHelp("Serve /metrics for Prometheus here: http://127.0.0.1:PORT.", valueName: "url"))
  var metrics: String?
}

/// Whom the service believes.
struct TokenOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The issuer of the tokens, exactly as the tokens write it.", valueName: "url"))
  var issuer: String

  @Option(help: ArgumentHelp("What the tokens must be for. Repeatable.", valueName: "text"))
  var audience: [String]

  @Option(
    name: .customLong("tenant-id"),
    help: ArgumentHelp("Accept only tokens with this claim \"tid\".", valueName: "guid"))
  var tenantId: String?

  @Option(
    name: .customLong("token-algorithm"),
    help: ArgumentHelp(
      """
      The algorithm of the issuer's RSA keys that do not name theirs: RS256 or PS256 (default: RS256). Repeatable.
      """, valueName: "algorithm"))
  var tokenAlgorithm: [TokenAlgorithm] = []

  @Option(
    help: ArgumentHelp(
      "A scope that hosts ask for (default: the audience with /.default at its end). Repeatable.", valueName: "scope"))
  var scope: [String] = []

  @Option(
    name: .customLong("client-id"),
    help: ArgumentHelp("The client with which hosts sign in, if they have none of their own.", valueName: "id"))
  var clientId: String?

  @Option(
    name: .customLong("user-claim"),
    help: ArgumentHelp(
      """
      Match users by this claim if a token has no object id, or a claim "oid" that is no GUID. Only for a provider \
      that never gives a name to somebody else: whoever has the name has the account.
      """, valueName: "claim"))
  var userClaim: String?

  @Option(
    name: .customLong("admin-role"),
    help: ArgumentHelp(
      """
      A role that makes a caller an administrator; read=ROLE only reads (default: Graph's \
      DeviceManagementApps.ReadWrite.All, and DeviceManagementApps.Read.All to read). Repeatable.
      """, valueName: "role"))
  var adminRole: [String] = []

  @Option(
    name: .customLong("admin-scope"),
    help: ArgumentHelp(
      "The same for a scope, if the provider grants it to administrators alone. Repeatable.", valueName: "scope"))
  var adminScope: [String] = []

  @Option(
    name: .customLong("write-role"),
    help: ArgumentHelp(
      """
      A role whose callers may change the tenant if it is --writable. No other role may, not even Graph's \
      DeviceManagementApps.ReadWrite.All. Repeatable.
      """, valueName: "role"))
  var writeRole: [String] = []

  @Option(
    name: .customLong("audit-role"),
    help: ArgumentHelp(
      """
      A role whose callers may read the history of the tenant. No other role may. Repeatable.
      """, valueName: "role"))
  var auditRole: [String] = []

  func administrators() throws(UnknownRight) -> GraphAdministrators {
    try GraphAdministrators(
      roles: adminRole, scopes: adminScope, writeRoles: writeRole, auditRoles: auditRole)
  }
}

/// An algorithm of RSA signatures.
enum TokenAlgorithm: String, ExpressibleByArgument, CaseIterable {
  case rs256 = "RS256"
  case ps256 = "PS256"
}
