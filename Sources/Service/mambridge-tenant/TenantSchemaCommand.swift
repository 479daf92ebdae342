import ArgumentParser
import Glibc
import Support

#if TenantService
  import TenantService
#endif

/// For scripts/schema.
struct Schema: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the OpenAPI document of the service: schema/tenant.openapi.json.", shouldDisplay: false)

  @Flag(help: "Print the document of what administrators ask: schema/administrators.openapi.json.")
  var administrators = false

  func run() throws {
    try reportingFailure {
      #if TenantService
        try printResult(administrators ? GraphDocument.text : TenantDocument.text)
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }
}
