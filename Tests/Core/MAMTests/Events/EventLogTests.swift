import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import SQLite

@Suite(.timeLimit(.minutes(5))) struct EventLogTests {
  let fixture = CoreFixture()
  private static let day: Int64 = 24 * 3600 * 1000

  private func list(
    _ core: Core, after: Int64 = 0, stream: String? = nil, types: Set<String>? = nil, limit: Int = 100
  ) throws -> EventPage {
    try core.events.list(EventQuery(after: after, stream: stream, types: types, limit: limit))
  }

  @Test("A new store has no events")
  func empty() throws {
    let page = try list(try fixture.core())
    #expect(page.isEmpty)
    #expect(page.next == 0)
    #expect(page.stream.isGUID)
    #expect(page.stream.utf8.dropFirst(14).first == UInt8(ascii: "4"))
  }

  @Test("All events are listed in the order of their numbers, whatever the page size", arguments: [1, 2, 6, 7, 8, 100])
  func pages(_ limit: Int) throws {
    let core = try fixture.core()
    _ = try (core.enroll("alice"), core.unenroll("alice"))
    let recorded = try fixture.events()
    var events: [StoredEvent] = []
    var page = try list(core, limit: limit)
    while !page.isEmpty {
      #expect(page.events.count <= limit)
      #expect(page.gap == nil)
      #expect(page.next == page.events.last?.seq)
      events += page.events
      page = try list(core, after: page.next, stream: page.stream, limit: limit)
    }
    #expect(events.map { Int($0.seq) } == recorded.map(\.seq))
    #expect(recorded.count == 7)
    #expect(events.map(\.time) == recorded.map(\.time))
    #expect(page.next == 7)
    #expect(events.allSatisfy { $0.body.first == "{" && $0.body.last == "}" })
  }

  @Test("A type filter skips other events, and next continues after them")
  func types() throws {
    let core = try fixture.core()
    _ = try (core.enroll("alice"), core.unenroll("alice"), core.checkIn())
    let types: Set = ["policyManager.policyDidChange", "appConfig.didChange"]
    let page = try list(core, types: types)
    #expect(page.events.map(\.seq) == [2, 3, 5, 7])
    #expect(page.next == 7)
    #expect(Set(page.events.map(\.type)) == types)
    #expect(try list(core, after: 3, types: types, limit: 1).next == 5)
    #expect(try list(core, types: ["nothing"]) == EventPage(stream: page.stream, events: [], next: 7, gap: nil))
    #expect(try list(core, types: []).next == 7)
  }

  @Test("A page of events stays within the byte limit, but has at least one event")
  func bytes() throws {
    let core = try fixture.core()
    _ = try core.enroll("alice")
    var query = EventQuery(after: 0)
    query.byteLimit = 1
    #expect(try core.events.list(query).events.map(\.seq) == [1])
    let all = try list(core).events
    query.byteLimit = all[0].type.utf8.count + all[0].body.utf8.count + all[1].type.utf8.count + all[1].body.utf8.count
    #expect(try core.events.list(query).events.map(\.seq) == [1, 2])
    #expect(try core.events.list(query).next == 2)
    query.byteLimit -= 1
    #expect(try core.events.list(query).next == 1)
  }

  @Test("An event number that does not exist, or another stream, gets a gap and the newest number")
  func foreign() throws {
    let core = try fixture.core()
    let stream = try list(core).stream
    #expect(try list(core, after: 1) == EventPage(stream: stream, events: [], next: 0, gap: 0...0))
    _ = try core.enroll("alice")
    #expect(try list(core, after: 3, stream: stream).isEmpty)
    let foreign: [(Int64, String)] = [(4, stream), (1 << 53, stream), (0, "another"), (3, "another"), (99, "")]
    for (after, other) in foreign {
      let page = try list(core, after: after, stream: other)
      #expect(page == EventPage(stream: stream, events: [], next: 3, gap: 1...3))
    }
  }

  @Test("Expired events are reported as a gap, and the events after them follow")
  func retention() throws {
    let core = try fixture.core()
    _ = try core.enroll("alice")
    fixture.clock.advance(byMilliseconds: 31 * Self.day)
    _ = try core.unenroll("alice")
    let page = try list(core)
    #expect(page.gap == 1...3)
    #expect(page.events.map(\.seq) == [4, 5, 6, 7])
    #expect(page.next == 7)
    #expect(try list(core, after: 2).gap == 3...3)
    #expect(try list(core, after: 3).gap == nil)
    #expect(try list(core, types: ["nothing"]) == EventPage(stream: page.stream, events: [], next: 7, gap: 1...3))
  }

  @Test("An app's event stream is the same in all processes and after a restart; each app has its own")
  func stream() throws {
    let stream = try list(try fixture.core()).stream
    #expect(try list(try fixture.core()).stream == stream)
    let other = StateFolder(root: fixture.state.root, appId: "com.example.other")
    #expect(try list(Core(CoreConfiguration(stateFolder: other, clock: fixture.clock))).stream != stream)
  }

  @Test("A store of schema 1 gets an event stream, and its accounts are due for a check-in at once")
  func migration() throws {
    try fixture.state.create()
    let connection = try Connection(path: fixture.state.database)
    try StateSchema.app.upTo(version: 1).apply(to: connection)
    try connection.execute("INSERT INTO accounts (identity, enrolled_at) VALUES ('alice@contoso.example', 1)")
    let core = try fixture.core()
    let page = try list(core)
    #expect(page.stream.isGUID)
    #expect(page.events.isEmpty)
    try core.refresh()
    #expect(core.state.nextDue == .atOnce)
  }

  @Test("Listing events fails with storeUnavailable if the state cannot be read")
  func unreadable() throws {
    fixture.folder.write("no folder", to: "state")
    #expect(throws: MAMError(.storeUnavailable, "")) { try list(try fixture.core()) }
  }
}
