import ArgumentParser
import Glibc
import HTTP
import JSON
import Support

#if TenantService
  import Development
  import HTTPNetwork
#endif

struct PrintDevelopmentToken: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dev-token",
    abstract: "Print an access token of a user of the development tenant that runs.",
    usage: "mambridge-tenant dev-token <user> | --secret [--service <url>]",
    discussion: """
      For mambridge-tenant dev of the same user of this machine, whose secret it reads. The token is for hosts and for \
      Graph, for an hour, and no real service takes it. Prints the token alone, so it serves as --token-command.

      With --secret it prints the secret of the run instead, for requests to /dev.

      Exit codes: 0 printed; 64 invalid command line; 69 no development tenant runs, or it cannot be reached; 77 the user \
      may not sign in; 78 invalid configuration.

      Examples:

        curl -H "Authorization: Bearer $(mambridge-tenant dev-token erin)" https://127.0.0.1:8480/v1.0/users

        curl -X POST https://127.0.0.1:8480/dev/reset \\
          -H "Authorization: Bearer $(mambridge-tenant dev-token --secret)"

        mambridge-tenant registrations https://127.0.0.1:8480 --token-command 'mambridge-tenant dev-token erin'
      """)

  @Argument(help: "The user, by user principal name, the part of it before the @, or object id.") var user: String?

  @Flag(name: .customLong("secret"), help: "Print the secret of the run, which /dev demands.") var printsSecret = false

  @Option(
    help: ArgumentHelp(
      "The development tenant (default: the one at port \(ServeDevelopment.usualPort), or the only one that runs).",
      valueName: "url"))
  var service: ServiceAddress?

  func validate() throws {
    guard (user != nil) != printsSecret else { throw ValidationError("Name a user, or use --secret.") }
  }

  func run() throws {
    MambridgeTenant.prepareProcess()
    try reportingFailure {
      #if TenantService
        let run = try Self.choose(from: RunFile.running(), service?.url)
        guard let user else {
          try printResult(run.secret + "\n")
          return EXIT_SUCCESS
        }
        let token = try waiting { try await Self.token(of: user, at: run) }
        try printResult(token + "\n")
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }

  #if TenantService
    private static func choose(from running: [RunFile.Content], _ service: String?) throws -> RunFile.Content {
      let fitting = service.map { service in running.filter { $0.service == service } } ?? running
      let usual = fitting.filter { $0.service.hasSuffix(":\(ServeDevelopment.usualPort)") }
      if let run = usual.count == 1 ? usual[0] : fitting.count == 1 ? fitting[0] : nil { return run }
      let place = service.map { " at \($0)" } ?? ""
      guard !fitting.isEmpty else {
        throw CommandFailure(
          exitCode: EX_UNAVAILABLE,
          message: "no development tenant of this user runs\(place). Start one with: mambridge-tenant dev")
      }
      throw CommandFailure(
        exitCode: EX_USAGE,
        message: "several development tenants run. Name one with --service: "
          + fitting.map(\.service).joined(separator: ", "))
    }

    static func token(of user: String, at run: RunFile.Content) async throws -> String {
      var settings = ClientSettings()
      settings.trustedFile = run.certificate
      do {
        let client = try NetworkClient(settings)
        let request = HTTPRequest.form(
          "\(run.service)/\(run.tenantId)/oauth2/v2.0/token",
          [
            ("grant_type", "password"), ("client_id", DevelopmentSettings.clientId), ("username", user),
            ("password", run.secret), ("scope", DevelopmentSettings.resource + "/.default"),
          ])
        let response = try await client.send(request, patience: .seconds(10), largestBody: 1 << 20)
        let answer = try? JSONValue(parsing: response.body)
        if let token = answer?["access_token"]?.stringValue { return token }
        let reason = answer?["error_description"]?.stringValue ?? "status \(response.status)"
        throw CommandFailure(
          exitCode: EX_NOPERM, message: "\(run.service) gives no token for \(user): \(reason.shown(atMost: 400))")
      } catch let failure as HTTPFailure {
        throw CommandFailure(exitCode: EX_UNAVAILABLE, message: failure.text)
      } catch let error as NetworkError {
        throw CommandFailure.configuration(error.description)
      }
    }
  #endif
}
