import MAM
import Model

/// A core in a folder of its own, that manages alice of the sample tenant or of another one.
struct ManagedCore {
  let core: Core
  let alice = AccountReference("alice@contoso.example")

  init(folder: String, tenant: TenantLocation = .sample) throws {
    guard let configuration = CoreConfiguration(stateFolder: folder + "/state", appId: "bench", tenant: tenant)
    else { throw Failure("the folder must be absolute") }
    core = Core(configuration)
    guard try core.enrollment.registerAndEnroll(alice).didSucceed else { throw Failure("alice was not enrolled") }
  }

  /// How many were merged into the one that is in force.
  var policyCount: Int { core.state.account(alice)?.policy?.effective.sources.count ?? 0 }
}
