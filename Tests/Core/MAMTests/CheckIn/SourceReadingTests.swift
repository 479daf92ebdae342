import SourceProtocol
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Tenancy

/// A folder that counts how often it is read.
private final class CountedSource: CheckInSource {
  private let source: LocalSource
  private let count = Lock(0)

  init(_ path: String) { source = LocalSource(location: .folder(path)) }

  /// The readings since this was called last.
  func readings() -> Int {
    count.withLock { count in
      defer { count = 0 }
      return count
    }
  }

  var capabilities: SourceCapabilities { source.capabilities }

  func readTenant() -> Result<TenantSnapshot, TenantError>? {
    count.withLock { $0 += 1 }
    return source.readTenant()
  }

  func answers(to requests: [SourceRequest], until deadline: ContinuousClock.Instant?) async -> SourceAnswers {
    count.withLock { $0 += 1 }
    return await source.answers(to: requests, until: deadline)
  }

  func authentication() async -> TenantAuthentication? { knownAuthentication }

  var knownAuthentication: TenantAuthentication? {
    count.withLock { $0 += 1 }
    return source.knownAuthentication
  }

  func deliver(_ report: SourceReport) async -> Bool { true }
  func watch(_ registrations: [SourceRegistration]) {}
  func connect(_ listener: any SourceListener) {}
  func end() {}
}

/// A source that can be read answers like every other source, about all accounts at once.
@Suite struct SourceReadingTests {
  private let fixture = CoreFixture()

  private func world(_ delegate: TokenDelegate? = nil) throws -> (Core, CountedSource) {
    let source = CountedSource(fixture.tenant.path)
    var configuration = try fixture.core("MultiManagedIdentities=true").configuration
    configuration.source = source
    let core = Core(configuration)
    core.host = TokenHost(delegate) { .token("t", of: $0.account) }
    return (core, source)
  }

  @Test(
    "A check-in reads the source once, and once more for tokens, for any number of accounts",
    arguments: [(nil, 1), (TokenDelegate.getAccessToken, 2)] as [(TokenDelegate?, Int)])
  func once(_ delegate: TokenDelegate?, _ count: Int) async throws {
    fixture.tenant.writeTenant(more: TenantFolder.authentication)
    let (core, source) = try world(delegate)
    for names in [["alice"], ["bob", "carol"]] {
      for name in names { _ = try await core.enrollment.enrollAndFollowUp(.user(name)) }
      _ = source.readings()
      let statuses = try await core.enrollment.checkInAndFollowUp(nil)
      let readings = source.readings()
      #expect(readings == count)
      #expect(statuses.count == core.state.accounts.count)
    }
    #expect(core.state.accounts.count == 3)
  }

  @Test("A check-in without accounts still updates the allowed accounts and the device's user")
  func nobody() async throws {
    let user = TenantFolder.upn("alice")
    fixture.tenant.writeTenant(
      more: #""allowedAccounts": ["\#(user)"], "mdm": {"user": "\#(user)", "appConfig": {"IntuneMAMUPN": "\#(user)"}},"#
    )
    let (core, source) = try world()
    let statuses = try await core.enrollment.checkInAndFollowUp(nil)
    #expect(statuses.isEmpty)
    #expect(source.readings() == 1)
    #expect(core.state.allowedAccounts?.map(\.identity) == [user])
    #expect(core.state.mdmEnrolledAccount?.identity == user)
  }

  @Test("An unreadable source fails the check-in with 206 and leaves the allowed accounts unchanged")
  func unreadable() async throws {
    let user = TenantFolder.upn("alice")
    fixture.tenant.writeTenant(more: #""allowedAccounts": ["\#(user)"],"#)
    let (core, source) = try world()
    let first = try await core.enrollment.enrollAndFollowUp(.user("alice"))
    fixture.tenant.folder.write("{", to: "tenant.json")
    _ = source.readings()
    let statuses = try await core.enrollment.checkInAndFollowUp(nil)
    #expect(first.statusCode.sdkValue == 100)
    #expect(statuses.map(\.statusCode.sdkValue) == [206])
    #expect(statuses.first?.errorString?.contains("tenant.json") == true)
    #expect(source.readings() == 1)
    #expect(core.state.allowedAccounts?.map(\.identity) == [user])
  }
}
