import MAM
import Model
import Support

/// A core in its own folder that manages alice, of the sample tenant or another one.
struct ManagedCore {
  let core: Core
  let alice = AccountReference("alice@contoso.example")

  init(folder: String, tenant: TenantLocation = .sample) throws {
    guard let configuration = CoreConfiguration(stateFolder: folder + "/state", appId: "bench", tenant: tenant)
    else { throw Failure("the folder must be absolute") }
    core = Core(configuration)
    guard try enroll().didSucceed else { throw Failure("alice was not enrolled") }
  }

  private func enroll() throws -> EnrollmentStatus {
    let (result, ended) = (Lock<Result<EnrollmentStatus, MAMError>?>(nil), Semaphore())
    Task(executorPreference: BlockingExecutor.shared) { [core, alice] in
      defer { ended.signal() }
      do throws(MAMError) {
        let status = try await core.enrollment.enrollAndFollowUp(alice)
        result.withLock { $0 = .success(status) }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
    }
    ended.wait()
    guard let status = result.withLock({ $0 }) else { throw Failure("alice was not enrolled") }
    return try status.get()
  }

  /// The number of policies that were merged.
  var policyCount: Int { core.state.account(alice)?.policy?.effective.sources.count ?? 0 }
}
