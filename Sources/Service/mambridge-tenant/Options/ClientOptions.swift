import ArgumentParser
import HTTP
import HTTPNetwork
import Support

/// The options of every command that sends requests.
struct ClientOptions: ParsableArguments {
  @Option(
    name: .customLong("ca"),
    help: ArgumentHelp(
      "Trust only the authorities in this file, in PEM (default: $SSL_CERT_FILE, or those of the system).",
      valueName: "file"), completion: .file())
  var authorities: String?

  @Option(
    help: ArgumentHelp(
      """
      Connect through this HTTP proxy, http://HOST:PORT or http://USER:PASSWORD@HOST:PORT (default: $HTTPS_PROXY, except \
      for the hosts of $NO_PROXY).
      """, valueName: "url"))
  var proxy: String?

  /// A client for all requests of the command.
  func makeClient() throws -> any HTTPClient {
    #if TenantService
      do throws(NetworkError) {
        return try NetworkClient(
          try ClientSettings(trustedFile: authorities, proxy: proxy, environment: environment))
      } catch {
        throw CommandFailure.configuration(error.description)
      }
    #else
      throw CommandFailure.noNetwork
    #endif
  }
}

/// The address of a tenant service, as an argument.
struct ServiceAddress: ExpressibleByArgument {
  let url: String

  init?(argument: String) {
    guard let parsed = WebURL(argument), parsed.scheme == "https" || parsed.isLoopback else { return nil }
    url = argument.hasSuffix("/") ? String(argument.dropLast()) : argument
  }

  static let help: ArgumentHelp =
    "Where the service is found: https://HOST, with a port and a path if it has them. Plain http only on this machine."
}
