import Support
import Testing

@testable import MAM
@testable import Model

/// Conditional launches of alice, who is enrolled, on a clock that a test moves.
struct LaunchRunFixture {
  let fixture = CoreFixture()
  let core: Core
  let session = LaunchSession()
  static let alice = AccountReference.user("alice")

  init(_ policy: String, _ flags: String...) throws {
    fixture.tenant.writePolicy(policy)
    var settings = Settings()
    for flag in flags { try settings.set(flag: flag) }
    core = Core(
      CoreConfiguration(
        stateFolder: fixture.state, tenant: .folder(fixture.tenant.path), settings: settings, clock: fixture.clock))
    #expect(try core.enroll("alice") == 100)
  }

  func tell(_ change: @escaping @Sendable (inout Model.Device) -> Void) async throws {
    _ = try await core.hostDevice.change(change)
  }

  func pass(minutes: Int64) { fixture.clock.advance(byMilliseconds: minutes * 60_000) }

  /// `core` is another process, `session` another run of the host; by default those of the fixture.
  func evaluate(_ core: Core? = nil, in session: LaunchSession? = nil) async throws -> ConditionalLaunch {
    try await (core ?? self.core).conditionalLaunch.evaluate(of: Self.alice, window: nil, in: session ?? self.session)
  }

  func verdict(_ core: Core? = nil, in session: LaunchSession? = nil) async throws -> LaunchVerdict {
    try await evaluate(core, in: session).verdict
  }

  func answer(_ answer: ChallengeAnswer) async throws {
    let challenge = try #require(try await evaluate().challenges.first)
    _ = try await core.challenges.answer(challenge.id, with: answer)
  }

  func switchIdentity(window: String? = nil) async throws -> SwitchIdentityResult {
    try await core.windows.show(Self.alice, window: window, of: core.makeIdentities(), in: session)
  }

  func disable(_ name: String) { change(name) { $0.isEnabled = false } }

  func delete(_ name: String) { change(name) { $0.isDeleted = true } }

  /// The tenant folder no longer lists the user.
  func omit(_ name: String) { fixture.tenant.writeTenant(users: TenantFolder.users.filter { $0.name != name }) }

  private func change(_ name: String, _ change: (inout TenantFolder.User) -> Void) {
    fixture.tenant.writeTenant(
      users: TenantFolder.users.map { user in
        var user = user
        if user.name == name { change(&user) }
        return user
      })
  }
}

extension Compliance {
  /// For a host that reports no windows.
  func remediate(_ reference: AccountReference, silent: Bool) async throws(MAMError) -> ComplianceStatus {
    try await remediate(reference, silent: silent, in: LaunchSession())
  }
}

/// Answers alerts as a test wants, and remembers them.
final class AlertHost: Host {
  private let action: String?
  private let shown = Lock<[HostAlert]>([])

  init(_ action: String?) {
    self.action = action
  }

  var alerts: [HostAlert] { shown.withLock { $0 } }

  func showAlert(_ alert: HostAlert) async -> String? {
    shown.withLock { $0.append(alert) }
    return action
  }
}
