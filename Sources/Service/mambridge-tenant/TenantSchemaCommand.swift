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

  func run() throws {
    try reportingFailure {
      #if TenantService
        try printResult(TenantDocument.text)
        return EXIT_SUCCESS
      #else
        throw CommandFailure.noNetwork
      #endif
    }
  }
}
