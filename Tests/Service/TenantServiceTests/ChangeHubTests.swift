import Support
import TestSupport
import Testing

@testable import TenantService

@Suite(.timeLimit(.minutes(5))) struct ChangeHubTests {
  private let hub = ChangeHub(limit: 4, limitOfRegistration: 2)

  /// Whether the wait of the poll ends before its time, which is far away.
  private func endsSoon(_ poll: ChangeHub.Poll) async -> Bool {
    let hasEnded = Lock(false)
    let wait = Task {
      await hub.wait(poll, atMost: .seconds(600))
      hasEnded.withLock { $0 = true }
    }
    defer { wait.cancel() }
    return await eventually(within: .seconds(10)) { hasEnded.withLock { $0 } }
  }

  @Test("A change that arrives before a poll names its registrations ends the poll's wait")
  func unclaimed() async throws {
    let poll = try #require(hub.begin())
    hub.notify(user: "alice")
    _ = hub.claim(poll, for: ["alice"], in: ["registration"])
    #expect(await endsSoon(poll))
    hub.end(poll)
    #expect(hub.count == 0)
    #expect(hub.unclaimedCount == 0)
  }

  @Test("A change for a user wakes the polls for that user")
  func claimed() async throws {
    let poll = try #require(hub.begin())
    _ = hub.claim(poll, for: ["alice"], in: ["registration"])
    hub.notify(user: "alice")
    #expect(await endsSoon(poll))
  }
}
