import MAM
import Model

/// A core in a folder of its own, that manages alice of the sample tenant.
struct ManagedCore {
  let core: Core
  let alice = AccountReference("alice@contoso.example")

  init(folder: String) throws {
    guard let configuration = CoreConfiguration(stateFolder: folder + "/state", appId: "bench", tenant: .sample)
    else { throw Failure("the folder must be absolute") }
    core = Core(configuration)
    guard try core.enrollment.registerAndEnroll(alice).didSucceed else { throw Failure("alice was not enrolled") }
  }
}
