import Testing

@testable import MAM
@testable import Model

/// Several cores on one state folder, as of several processes.
@Suite("An enrollment checks in its transaction whether the account is registered", .timeLimit(.minutes(5)))
struct EnrollmentRaceTests {
  let fixture = CoreFixture()

  /// How often the state was changed.
  private func changes(in core: Core) throws -> UInt64 { try core.refresh().epochPage.value }

  /// What the policy source says of an account before another process acts.
  private func inquiry(_ name: String, by core: Core) throws -> PolicyInquiry {
    try core.refresh()
    return try #require(core.source.inquiryByReading(.account(.user(name))))
  }

  @Test("Enrolling changes the store once; enrolling again changes nothing")
  func changesOfOne() async throws {
    let core = try fixture.core()
    let start = try changes(in: core)
    let first = try await core.enrollment.enrollAndFollowUp(.user("bob"))
    #expect(first.statusCode.sdkValue == 103)
    #expect(try changes(in: core) == start + 1)
    let again = try await core.enrollment.enrollAndFollowUp(.user("bob"))
    #expect(again.statusCode == .alreadyEnrolled)
    #expect(try changes(in: core) == start + 1)
  }

  @Test("An enrollment ends with 208 and sends no event if another process enrolled the account meanwhile")
  func enrolledMeanwhile() throws {
    let (core, other) = (try fixture.core(), try fixture.core())
    let inquiry = try inquiry("alice", by: core)
    #expect(try other.enroll("alice") == 100)
    let events = try fixture.events()
    let status = try core.checkIns.registerAndEnroll(.user("alice"), with: inquiry)
    #expect(status.statusCode.sdkValue == 208)
    #expect(status.access == .allow)
    #expect(try fixture.events() == events)
    #expect(try fixture.warnings("already registered", in: core).count == 1)
    #expect(core.state.accounts.count == 1)
  }

  @Test("An enrollment repeats the status of another process that failed to enroll the account meanwhile")
  func registeredMeanwhile() throws {
    let (core, other) = (try fixture.core(), try fixture.core())
    let inquiry = try inquiry("carol", by: core)
    #expect(try other.enroll("carol") == 225)
    let status = try core.checkIns.registerAndEnroll(.user("carol"), with: inquiry)
    #expect(status.statusCode.sdkValue == 225)
    #expect(status.errorString?.hasPrefix("Nothing was tried") == true)
    #expect(try fixture.events().map(\.summary) == ["enrollmentRequestWithStatus 225"])
  }

  @Test("An enrollment registers the account anew if another process unenrolled it meanwhile")
  func unregisteredMeanwhile() throws {
    let (core, other) = (try fixture.core(), try fixture.core())
    #expect(try core.enroll("carol") == 225)
    let inquiry = try inquiry("carol", by: core)
    #expect(try other.unenroll("carol") == 104)
    #expect(try core.checkIns.registerAndEnroll(.user("carol"), with: inquiry).statusCode.sdkValue == 225)
    #expect(core.state.accounts.count == 1)
    #expect(
      try fixture.events().map(\.summary) == [
        "enrollmentRequestWithStatus 225", "unenrollRequestWithStatus 104", "enrollmentRequestWithStatus 225",
      ])
  }

  @Test("An enrollment ends with 215 if another process started to wipe the account meanwhile")
  func wipingMeanwhile() throws {
    let (core, other) = (try fixture.core(), try fixture.core())
    let inquiry = try inquiry("alice", by: core)
    #expect(try other.enroll("alice") == 100)
    #expect(try other.wipes.mark(.user("alice"), .host).count == 1)
    let status = try core.checkIns.registerAndEnroll(.user("alice"), with: inquiry)
    #expect(status.statusCode == .failedToClearMamData)
    #expect(core.state.account(.user("alice"))?.isWiping == true)
    #expect(try fixture.warnings("already registered", in: core).isEmpty)
  }

  @Test("If four cores enroll one account at once, one of them ends with 100 and the others with 208")
  func atOnce() async throws {
    let cores = try (0..<4).map { _ in try fixture.core() }
    let codes = try await withThrowingTaskGroup(of: Int.self) { group in
      for core in cores {
        group.addTask { try await core.enrollment.enrollAndFollowUp(.user("alice")).statusCode.sdkValue }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes.sorted() == [100, 208, 208, 208])
    let requests = try fixture.events().map(\.summary).filter { $0.hasPrefix("enrollmentRequest") }
    #expect(requests == ["enrollmentRequestWithStatus 100"])
  }
}
