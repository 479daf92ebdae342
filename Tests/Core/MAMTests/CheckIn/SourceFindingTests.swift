import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Tenancy

/// What each finding about a source outside of this process means for an account, and when the account checks in again.
@Suite struct SourceFindingTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let fault: SourceFault.Kind
    let finding: Finding
    /// Of an account that is not enrolled, and of one that is.
    let codes: (Int, Int)
    /// The waits after the first failures in a row, in seconds.
    let waits: [Int64]

    var testDescription: String { fault.rawValue }

    init(_ fault: SourceFault.Kind, _ finding: Finding, _ code: Int, enrolled: Int? = nil, waits: [Int64]) {
      self.fault = fault
      self.finding = finding
      codes = (code, enrolled ?? code)
      self.waits = waits
    }
  }

  private static let backOff: [Int64] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
  private static let day: Int64 = 24 * 3600

  static let rows = [
    Row(.signInNeeded, .signInNeeded, 203, waits: backOff),
    Row(.unreachable, .unreachableSource, 205, enrolled: 212, waits: backOff),
    Row(.late, .noReply, 216, waits: backOff),
    Row(.broken, .brokenSource, 206, waits: backOff),
    Row(.cannotStart, .unstartableSource, 204, waits: [3600, 3600]),
    Row(.tokenCommandFailed, .tokenCommandFailed, 217, waits: backOff),
    Row(.signInCanceled, .signInCanceled, 219, waits: backOff),
    Row(.disabled, .serviceDisabled, 202, waits: [day, day]),
  ]

  static let findings = Set(rows.map(\.finding))

  private let world = SourceWorld()

  @Test(
    "If the source fails, an account stays registered and is retried at the documented intervals", arguments: rows)
  func enroll(_ row: Row) async throws {
    world.source.fails(row.fault)
    #expect(try await world.enroll() == row.codes.0)
    try await expectWaits(row.waits, code: row.codes.0)
    let account = try #require(try world.core.account("alice"))
    #expect(!account.isEnrolled)
    #expect(!account.isSignInRefused)
    #expect(account.status?.errorString == world.source.text)
  }

  @Test("If the source fails, an enrolled account keeps its policy and is not wiped", arguments: rows)
  func checkIn(_ row: Row) async throws {
    world.source.delivers(#""pinRequired": true, "appActionIfUnableToAuthenticateUser": "wipe""#)
    #expect(try await world.enroll() == 100)
    let contactedAt = try world.core.account("alice")?.contactedAt
    world.source.fails(row.fault)
    world.fixture.clock.advance(byMilliseconds: 30 * 60_000)
    #expect(try await world.checkIn() == [row.codes.1])
    try await expectWaits(row.waits, code: row.codes.1)
    let account = try #require(try world.core.account("alice"))
    let isAnswer = row.fault == .disabled
    #expect(try world.core.requiresPIN("alice"))
    #expect(!account.isWiping)
    #expect(!account.isSignInRefused)
    #expect(account.contactedAt == contactedAt || isAnswer)
    #expect(try !world.fixture.events().contains { $0.type == "wipeDidComplete" })
    world.source.delivers(#""pinRequired": true, "appActionIfUnableToAuthenticateUser": "wipe""#)
    #expect(try await world.checkIn() == [101])
    #expect(try world.wait() == 1800)
  }

  @Test(
    "Only an answer that the user is disabled or deleted can wipe the account",
    arguments: [("unknown", false), ("deleted", true), ("disabled", true), ("unlicensed", false)])
  func standing(_ standing: String, _ wipes: Bool) async throws {
    world.source.delivers(#""pinRequired": true, "appActionIfUnableToAuthenticateUser": "wipe""#)
    #expect(try await world.enroll() == 100)
    let contactedAt = try world.core.account("alice")?.contactedAt
    world.fixture.clock.advance(byMilliseconds: 30 * 60_000)
    world.source.says(standing)
    #expect(try await world.checkIn() == [standing == "unlicensed" ? 200 : 203])
    let account = try world.core.account("alice")
    #expect((account?.isManaged ?? false) != wipes)
    #expect(try world.fixture.events().contains { $0.type == "wipeDidComplete" } == wipes)
    if standing == "unknown" {
      #expect(account?.contactedAt == contactedAt)
      #expect(account?.isSignInRefused == false)
    }
  }

  private func expectWaits(_ waits: [Int64], code: Int) async throws {
    for (index, wait) in waits.enumerated() {
      if index > 0 { #expect(try await world.checkIn() == [code]) }
      #expect(try world.wait() == wait)
    }
  }

  @Test("A retry waits for the back-off or the source's retryAfter, whichever is longer")
  func retryAfter() async throws {
    world.source.fails(.unreachable, retryAfter: .seconds(10))
    #expect(try await world.enroll() == 205)
    for wait in [10, 10, 10, 10, 16] as [Int64] {
      #expect(try world.wait() == wait)
      _ = try await world.checkIn()
    }
  }

  @Test(
    "The scheduler waits as long as the source's retryAfter asks, and then checks in once",
    arguments: [false, true])
  func retryAfterByItself(_ isEnrolled: Bool) async throws {
    if isEnrolled {
      world.source.delivers(#""pinRequired": true"#)
      #expect(try await world.enroll() == 100)
    }
    world.source.fails(.unreachable, retryAfter: .seconds(120))
    if isEnrolled {
      #expect(try await world.checkIn() == [212])
    } else {
      #expect(try await world.enroll() == 205)
    }
    for _ in 1...3 {
      let count = world.source.count
      _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 119_999)
      #expect(world.source.count == count)
      _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 1)
      #expect(world.source.count == count + 1)
    }
    // Without a wish of the source, the back-off goes on from where it was.
    world.source.fails(.unreachable)
    _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 120_000)
    let count = world.source.count
    _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 15_999)
    #expect(world.source.count == count)
    _ = try await world.core.scheduler.advanceAndFollowUp(byMilliseconds: 1)
    #expect(world.source.count == count + 1)
  }

  @Test("An answer with nextCheckIn sets the time of the next check-in")
  func nextCheckIn() async throws {
    world.source.delivers(#""pinRequired": true"#, nextCheckIn: .seconds(100))
    #expect(try await world.enroll() == 100)
    #expect(try world.wait() == 100)
  }

  @Test("An answer about another object id changes nothing and ends the check-in with 206")
  func otherUser() async throws {
    world.source.delivers(#""pinRequired": true"#)
    #expect(try await world.enroll() == 100)
    world.source.delivers(#""pinRequired": false"#, to: "frank")
    #expect(try await world.checkIn() == [206])
    let account = try #require(try world.core.account("alice"))
    #expect(try world.core.requiresPIN("alice"))
    #expect(account.status?.errorString?.contains("another object id") == true)
  }

  @Test("A change reported by the source makes check-ins due, for one account or for all")
  func changed() async throws {
    world.source.delivers(#""pinRequired": true"#)
    #expect(try await world.enroll() == 100)
    let listener = try #require(world.source.listener)
    listener.sourceDidChange(.user("frank"), within: .zero)
    listener.sourceDidChange(.user("alice"), within: .seconds(60))
    let world = world
    #expect(await eventually { (try? world.wait()).map { $0 <= 60 } ?? false })
    listener.sourceDidChange(nil, within: .zero)
    #expect(await eventually { (try? world.wait()) == 1 }, "no sooner than a second after the last check-in")
    #expect(try await world.checkIn() == [101])
    world.fixture.clock.advance(byMilliseconds: 1000)
    listener.sourceDidChange(nil, within: .zero)
    #expect(await eventually { (try? world.wait()) == 0 })
  }

  @Test("If another check-in finishes first, the older answer is dropped and the source is asked again")
  func overtaken() async throws {
    world.source.delivers(#""pinRequired": false"#)
    #expect(try await world.enroll() == 100)
    let other = Core(world.core.configuration)
    world.source.beforeNextAnswer { [source = world.source] in
      source.delivers(#""pinRequired": true"#)
      _ = try? await other.enrollment.checkInAndFollowUp(nil)
    }
    #expect(try await world.checkIn() == [101])
    #expect(try world.core.requiresPIN("alice"))
    #expect(world.source.count == 4)
  }
}
