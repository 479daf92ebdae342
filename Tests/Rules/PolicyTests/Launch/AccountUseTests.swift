import Support
import Testing

@testable import Model
@testable import Policy

@Suite(.timeLimit(.minutes(5))) struct AccountUseTests {
  private static let period = ISODuration(seconds: 1800)

  private func time(_ minute: Int64) -> Timestamp { Timestamp(milliseconds: 1_000_000_000 + minute * 60_000) }

  private func use(
    _ last: Int64?, since: Int64 = 0, at now: Int64, isShown: Bool = false, _ period: ISODuration? = Self.period
  ) -> AccountUse {
    AccountUse(
      last.map { Activity(since: time(since), usedAt: time($0)) }, period, isShown: isShown, at: time(now))
  }

  @Test("A recheck is due at the first use and after a pause as long as the recheck period")
  func due() {
    #expect(use(nil, at: 0).isRecheckDue)
    #expect(use(nil, at: 0, nil).isRecheckDue)
    #expect(!use(0, at: 29).isRecheckDue)
    #expect(use(0, at: 30).isRecheckDue)
    #expect(!use(0, at: 99_999, nil).isRecheckDue)
    #expect(use(0, at: 0, ISODuration(seconds: 0)).isRecheckDue)
    #expect(use(1, at: 0).isRecheckDue, "a clock that was set back")
  }

  @Test("The cause of a recheck names the time without use and the period in the policy")
  func cause() {
    #expect(use(0, at: 31).recheckCause() == "unused for 31 minutes; periodOnlineBeforeAccessCheck is PT30M")
    #expect(
      use(0, at: 1, ISODuration(seconds: 0)).recheckCause()
        == "unused for 1 minute; periodOnlineBeforeAccessCheck is PT0S")
    #expect(use(1, at: 0).recheckCause() == "the clock is before the time of the last use")
    #expect(use(0, at: 29).recheckCause() == nil)
    #expect(use(nil, at: 0).recheckCause() == nil)
    #expect(use(0, at: 99_999, nil).recheckCause(enteredAt: time(0)) == nil)
    let sinceEntry = "unused for 2 days 1 hour; periodOnlineBeforeAccessCheck is PT30M"
    #expect(use(nil, at: 49 * 60).recheckCause(enteredAt: time(0)) == sinceEntry)
    #expect(use(-5, at: 49 * 60).recheckCause(enteredAt: time(0)) == sinceEntry)
  }

  @Test("An account shown in the foreground needs no recheck, unless its last use is unknown")
  func foreground() {
    #expect(!use(5, at: 500, isShown: true).isRecheckDue)
    #expect(use(5, at: 500).isRecheckDue)
    #expect(use(nil, at: 500, isShown: true).isRecheckDue, "an account whose use is not known was not shown")
    #expect(
      use(5, since: 2, at: 500, isShown: true).used(signedInAt: nil) == Activity(since: time(2), usedAt: time(500)))
    #expect(use(5, at: 500, isShown: true).ended?.usedAt == time(500))
    #expect(use(4, at: 500).ended == nil)
    #expect(use(4, at: 20).ended?.usedAt == time(20))
  }

  @Test("A sign-in stays fresh during the use it began, or else for one recheck period")
  func signIn() {
    #expect(use(20, since: 5, at: 40).isFresh(time(5)))
    #expect(!use(20, since: 5, at: 40).isFresh(time(4)))
    #expect(use(nil, at: 29).isFresh(time(0)))
    #expect(!use(nil, at: 30).isFresh(time(0)))
    #expect(use(10, at: 60).isFresh(time(31)))
    #expect(!use(10, at: 60).isFresh(time(30)))
    #expect(!use(40, at: 71).isFresh(time(39)))
    #expect(!use(nil, at: 0).isFresh(nil))
  }

  @Test("A use continues after a short pause; otherwise a new use begins, at its sign-in if there was one")
  func used() {
    #expect(use(20, since: 5, at: 40).used(signedInAt: time(30)) == Activity(since: time(5), usedAt: time(40)))
    #expect(use(0, at: 60).used(signedInAt: time(50)) == Activity(since: time(50), usedAt: time(60)))
    #expect(use(20, at: 60).used(signedInAt: time(10)) == Activity(since: time(60), usedAt: time(60)))
    #expect(use(nil, at: 60).used(signedInAt: nil) == Activity(since: time(60), usedAt: time(60)))
  }
}
