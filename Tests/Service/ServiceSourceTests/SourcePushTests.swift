import HTTP
import JSON
import Support
import TestSupport
import Testing

@testable import ServiceSource

@Suite(.timeLimit(.minutes(5)))
struct SourcePushTests {
  private static let path = "/mam/v1/changes"

  /// A service with a revision that a test changes. Its polls wait until there is another one.
  final class Revisions: Sendable {
    let number = Lock<Int64>(1)
    let spread = Lock(0)

    func answer(_ request: HTTPRequest) async -> HTTPResponse {
      guard request.url.hasSuffix("changes") else {
        return .json(#"{"outcome":"delivered","revision":\#(number.withLock { $0 })}"#)
      }
      let known = request.json["registrations"]?.arrayValue?.first?["revision"]?.integerValue
      while known == number.withLock({ $0 }), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(2)) }
      let (now, spread) = (number.withLock { $0 }, spread.withLock { $0 })
      let changed = known == nil ? "" : "\"\(SourceTalk.id)\""
      return .json(
        #"{"changed":[\#(changed)],"revisions":{"\#(SourceTalk.id)":\#(now)},"gone":[],"spread":\#(spread)}"#)
    }
  }

  private static func times(
    pause: Duration = .milliseconds(1), early: Duration = .milliseconds(1)
  ) -> SourcePush.Times {
    SourcePush.Times(
      wait: .seconds(25), backOff: BackOff(first: .milliseconds(1), longest: .milliseconds(4)), pause: pause,
      pauseWithoutPush: .seconds(60), pauseAfterEarlyAnswer: early)
  }

  @Test func tellsEachChangeOnce() async {
    let revisions = Revisions()
    let service = PlayedService { await revisions.answer($0) }
    let talk = SourceTalk(service)
    _ = await talk.checkIn()
    await talk.watch()
    let account = try? JSONValue(parsing: Array(SourceTalk.account.utf8))
    for count in 1...3 {
      revisions.spread.withLock { $0 = count }
      revisions.number.withLock { $0 += 1 }
      await expectEventually(count) { talk.changes.count }
      #expect(talk.changes.last?["account"] == account)
      #expect(talk.changes.last?["spread"]?.numberValue == Double(count))
    }
    #expect(service.requests(to: Self.path).first?.json["registrations"]?.arrayValue?.first?["revision"] == 1)
    #expect(service.requests(to: Self.path).first?.json["wait"] == 25)
  }

  /// After a restart of the source, no check-in has told it a revision or an account.
  @Test func asksForTheRevisionWithoutWaiting() async {
    let revisions = Revisions()
    let service = PlayedService { await revisions.answer($0) }
    let talk = SourceTalk(service)
    await talk.watch()
    await expectEventually(2) { service.requests(to: Self.path).count }
    #expect(service.requests(to: Self.path).map { $0.json["wait"] } == [0, 25])
    revisions.number.withLock { $0 += 1 }
    await expectEventually(1) { talk.changes.count }
    #expect(talk.changes.first == ["spread": 0.0])
  }

  /// The revision is still unknown after a failure, and must not be waited for.
  @Test func asksForTheRevisionWithoutWaitingUntilTheServiceAnswers() async {
    let (revisions, failures) = (Revisions(), Lock(0))
    let service = PlayedService { request throws(HTTPFailure) in
      let count = failures.withLock {
        $0 += 1; return $0
      }
      if count < 3 { throw HTTPFailure(.cannotConnect, "Cannot connect.") }
      return await revisions.answer(request)
    }
    let talk = SourceTalk(service, times: Self.times())
    await talk.watch()
    await expectEventually(4) { service.requests(to: Self.path).count }
    #expect(service.requests(to: Self.path).map { $0.json["wait"] } == [0, 0, 0, 25])
  }

  /// A service that cannot wait answers at once. It is asked at an interval, and still says what changes.
  @Test func asksNotAtOnceAgainIfTheServiceDoesNotWait() async {
    let hasNews = Lock(false)
    let service = PlayedService { _ in
      .json(hasNews.withLock { $0 } ? #"{"changed":["\#(SourceTalk.id)"],"spread":0}"# : #"{"changed":[]}"#)
    }
    var times = Self.times(pause: .seconds(60))
    times.pauseAfterEarlyAnswer = .milliseconds(200)
    let (talk, start) = (SourceTalk(service, times: times), ContinuousClock.now)
    await talk.watch()
    #expect(await eventually { service.requests(to: Self.path).count >= 4 })
    // The first request does not wait; there is a pause after each of the others.
    let pauses = service.requests(to: Self.path).count - 2
    #expect(start.duration(to: .now) >= .milliseconds(200) * pauses)
    hasNews.withLock { $0 = true }
    await expectEventually(1) { talk.changes.count }
  }

  /// mambridge may watch another account while the check-in of a new one is under way.
  @Test func keepsTheRevisionOfACheckInThatComesBeforeTheWatch() async {
    let revisions = Revisions()
    let service = PlayedService { await revisions.answer($0) }
    let talk = SourceTalk(service)
    _ = await talk.checkIn()
    _ = await talk.ask("source.watch", #"{"registrations":[]}"#)
    revisions.number.withLock { $0 += 1 }
    await talk.watch()
    await expectEventually(1) { talk.changes.count }
    #expect(service.requests(to: Self.path).first?.json["registrations"]?.arrayValue?.first?["revision"] == 1)
  }

  @Test func asksAboutNothingUntilMambridgeWatches() async {
    let revisions = Revisions()
    let service = PlayedService { await revisions.answer($0) }
    let talk = SourceTalk(service)
    _ = await talk.checkIn()
    await talk.watch()
    #expect(await eventually { !service.requests(to: Self.path).isEmpty })
    _ = await talk.ask("source.watch", #"{"registrations":[]}"#)
    let count = service.requests(to: Self.path).count
    revisions.number.withLock { $0 += 1 }
    _ = await talk.checkIn()
    #expect(service.requests(to: Self.path).count == count)
    #expect(talk.changes.isEmpty)
  }

  @Test func asksAgainAfterFailures() async {
    let (revisions, failures) = (Revisions(), Lock(0))
    let service = PlayedService { request throws(HTTPFailure) in
      let count = failures.withLock {
        $0 += 1; return $0
      }
      if count < 4 { throw HTTPFailure(.cannotConnect, "Cannot connect.") }
      if count < 6 { return HTTPResponse(500) }
      return await revisions.answer(request)
    }
    let talk = SourceTalk(service, times: Self.times())
    await talk.watch()
    #expect(await eventually { service.requests(to: Self.path).count >= 7 })
    revisions.number.withLock { $0 += 1 }
    await expectEventually(1) { talk.changes.count }
  }

  @Test func leavesAloneWhatTheServiceDoesNotKnow() async {
    let service = PlayedService { _ in .json(#"{"changed":[],"gone":["\#(SourceTalk.id)"],"spread":0}"#) }
    let talk = SourceTalk(service, times: Self.times())
    await talk.watch()
    await expectEventually(1) { service.requests.count }
    _ = await talk.ask("source.leave", #"{"registration":\#(SourceTalk.registration)}"#)
    try? await Task.sleep(for: .milliseconds(50))
    #expect(service.requests(to: Self.path).count == 1)
  }

  @Test("A registration that the service did not know is asked about after its first check-in")
  func asksAboutAnUnknownRegistrationAfterItsCheckIn() async {
    let revisions = Revisions()
    let service = PlayedService { _ in .json(#"{"changed":[],"gone":["\#(SourceTalk.id)"],"spread":0}"#) }
    let talk = SourceTalk(service, times: Self.times())
    await talk.watch()
    #expect(await eventually { service.requests(to: Self.path).count == 1 })
    service.play { await revisions.answer($0) }
    _ = await talk.checkIn()
    #expect(await eventually { service.requests(to: Self.path).count == 2 })
    revisions.number.withLock { $0 += 1 }
    #expect(await eventually { talk.changes.count == 1 })
  }

  /// A service that says that something has changed, but not its revision, would say so again at once.
  @Test func waitsAfterAChangeWithoutARevision() async {
    let service = PlayedService { _ in .json(#"{"changed":["\#(SourceTalk.id)"],"spread":0}"#) }
    let talk = SourceTalk(service, times: Self.times(pause: .seconds(60)))
    await talk.watch()
    await expectEventually(1) { talk.changes.count }
    try? await Task.sleep(for: .milliseconds(50))
    #expect(service.requests(to: Self.path).count == 1)
  }

  /// Two replicas that serve different versions for a while each find that the host knows another revision.
  @Test func waitsAfterNewsUntilACheckInBringsARevision() async {
    let revision = Lock<Int64>(1)
    let service = PlayedService { request in
      let next = revision.withLock { revision in
        revision += 1
        return revision
      }
      return .json(
        request.url.hasSuffix("changes")
          ? #"{"changed":["\#(SourceTalk.id)"],"revisions":{"\#(SourceTalk.id)":\#(next)},"spread":0}"#
          : #"{"outcome":"delivered","revision":\#(next)}"#)
    }
    let talk = SourceTalk(service, times: Self.times(early: .seconds(60)))
    _ = await talk.checkIn()
    await talk.watch()
    await expectEventually(1) { talk.changes.count }
    try? await Task.sleep(for: .milliseconds(50))
    #expect(service.requests(to: Self.path).count == 1)
    _ = await talk.checkIn()
    await expectEventually(2) { talk.changes.count }
  }

  @Test func doesNotWaitAtAServiceThatIsFull() async {
    let service = PlayedService { request in
      .json(
        request.url.hasSuffix("changes") ? #"{"changed":[]}"# : #"{"outcome":"delivered","revision":1,"push":false}"#)
    }
    let talk = SourceTalk(service, times: Self.times())
    _ = await talk.checkIn()
    await talk.watch()
    try? await Task.sleep(for: .milliseconds(50))
    #expect(service.requests(to: Self.path).isEmpty)
  }

  @Test func asksAboutManyRegistrationsInTurns() async {
    let asked = Lock<Set<String>>([])
    let service = PlayedService { request in
      let ids = request.json["registrations"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
      asked.withLock { $0.formUnion(ids) }
      try? await Task.sleep(for: .milliseconds(2))
      return ids.count > SourcePush.mostRegistrations ? HTTPResponse(400) : .json(#"{"changed":[]}"#)
    }
    let talk = SourceTalk(service, times: Self.times())
    let list = (0..<450).map { #"{"id":"r\#($0)","secret":"c2VjcmV0"}"# }.joined(separator: ",")
    _ = await talk.ask("source.watch", #"{"registrations":[\#(list)]}"#)
    await expectEventually(450) { asked.withLock { $0.count } }
  }
}
