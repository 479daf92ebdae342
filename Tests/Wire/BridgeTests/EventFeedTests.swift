import JSON
import TestSupport
import Testing

@testable import Bridge

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct EventFeedTests {
  @Test("Entries are the notifications with their numbers, from the one that was seen last")
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

  @Test("Without a last one it begins behind the newest, as it is when the feed is made")
  func newest() async throws {
    let host = try TestHost.restarting()
    try host.enroll()
    let feed = host.bridge.events(after: nil)
    _ = try host.call("enrollmentManager.deRegisterAndUnenrollAccount", ["account": .string(TestHost.alice)])
    var entries = feed.makeAsyncIterator()
    #expect(await entries.next()?.name == EventTypes.unenrollment)
  }

  @Test(
    "What was never given is told as a gap, and what follows goes on",
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

  @Test("A reader that is cancelled gets no more")
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
