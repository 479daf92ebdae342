import MAM
import Model

/// A core in its own folder that manages alice, of the sample tenant or another one.
struct ManagedCore {
  let core: Core
  let alice = AccountReference("alice@contoso.example")

  init(folder: String, tenant: TenantLocation = .sample) throws {
    guard let configuration = CoreConfiguration(stateFolder: folder + "/state", appId: "bench", tenant: tenant)
    else { throw Failure("the folder must be absolute") }
    core = Core(configuration)
    guard try core.enrollment.registerAndEnroll(alice).didSucceed else { throw Failure("alice was not enrolled") }
  }

  /// The number of policies that were merged.
  var policyCount: Int { core.state.account(alice)?.policy?.effective.sources.count ?? 0 }
}
