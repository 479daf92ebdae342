import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct EventFeedTests {
  @Test("An event feed resumes after the given event with the entries that events.list returns")
  func resumes() async throws {
    let host = try TestHost.restarting()
    try host.enroll()
    let list = try host.call("events.list")
    let stream = try #require(list["stream"]?.stringValue)
    let events = try #require(list["events"]?.arrayValue)
    var feed = host.bridge.events(after: "\(stream)/1").makeAsyncIterator()
    for event in events.dropFirst() {
      let entry = try #require(await feed.next())
      #expect(entry.id == "\(stream)/\(try #require(event["params"]?["seq"]?.integerValue))")
      #expect(entry.name == event["type"]?.stringValue)
      #expect(try JSONValue(parsing: entry.params) == event["params"])
    }
  }

  @Test("An event feed without a last id starts with the first event after the feed was made")
  func newest() async throws {
    let host = try TestHost.restarting()
    try host.enroll()
    let feed = host.bridge.events(after: nil)
    _ = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": .string(TestHost.alice)])
    var entries = feed.makeAsyncIterator()
    #expect(await entries.next()?.name == EventTypes.unenrollment)
  }

  @Test(
    "An event feed with an unknown last id reports a gap and continues with new events",
    arguments: ["", "7", "x/-1", "x/y", "x/1", "/"])
  func gap(_ lastID: String) async throws {
    let host = try TestHost.restarting()
    try host.enroll()
    let stream = try #require(try host.call("events.list")["stream"]?.stringValue)
    var feed = host.bridge.events(after: lastID).makeAsyncIterator()
    let gap = try #require(await feed.next())
    #expect(gap.name == EventsGap.name)
    #expect(gap.id == "\(stream)/3")
    _ = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": .string(TestHost.alice)])
    #expect(await feed.next()?.id == "\(stream)/4")
  }

  @Test("A cancelled reader of an event feed gets no more events")
  func cancelled() async throws {
    let bridge = try TestHost.restarting().bridge
    let reader = Task {
      var feed = bridge.events(after: nil).makeAsyncIterator()
      return await feed.next()
    }
    reader.cancel()
    #expect(await reader.value == nil)
  }
}
