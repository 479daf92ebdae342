import Glibc
import NIOCore
import Support
import TestSupport
import Testing

@testable import Transport

/// Tells what a test gives it.
private final class FakeEvents: EventStreamSource {
  private struct State {
    var asked: [String?] = []
    var continuations: [AsyncStream<StreamedEvent>.Continuation] = []
  }

  private let state = Lock(State())
  private let begins = Semaphore()
  let ends = Semaphore()

  var asked: [String?] { state.withLock { $0.asked } }

  func events(after lastEventID: String?) -> any AsyncSequence<StreamedEvent, Never> & Sendable {
    let (stream, continuation) = AsyncStream<StreamedEvent>.makeStream()
    continuation.onTermination = { [ends] _ in ends.signal() }
    state.withLock { state in
      state.asked.append(lastEventID)
      state.continuations.append(continuation)
    }
    begins.signal()
    return stream
  }

  func tell(_ event: StreamedEvent) { for one in state.withLock({ $0.continuations }) { one.yield(event) } }
  func finish() { for one in state.withLock({ $0.continuations }) { one.finish() } }
}

private let texts: [(StreamedEvent, String)] = [
  (StreamedEvent(id: "7", name: "wiped", data: "{}"), "id: 7\nevent: wiped\ndata: {}\n\n"),
  (StreamedEvent(name: "gap", data: "[1]"), "event: gap\ndata: [1]\n\n"),
  (StreamedEvent(name: "a", data: "1\n2\r\n3\r4"), "event: a\ndata: 1\ndata: 2\ndata: 3\ndata: 4\n\n"),
  (StreamedEvent(id: "1\n2", name: "a\r\nb", data: ""), "id: 1 2\nevent: a b\ndata: \n\n"),
  (StreamedEvent(name: "a", data: "\"\u{2028}\u{85}\""), "event: a\ndata: \"\u{2028}\u{85}\"\n\n"),
]

@Suite("Events over HTTP", .timeLimit(.minutes(5)), .ownThreads)
struct EventStreamTests {
  private let events: FakeEvents
  private let server: RunningListener
  private let client: HTTPClient

  init() throws {
    events = FakeEvents()
    server = try RunningListener(
      RunningListener.http, times: ConnectionTimes(heartbeat: .milliseconds(100)), events: events)
    client = try HTTPClient(server)
  }

  /// The next chunk that is no sign of life.
  private func next() -> String? {
    while let chunk = client.readChunk() {
      if chunk != ":\n\n" { return chunk }
    }
    return nil
  }

  @Test("An event is written as valid text for an event stream, whatever line breaks it contains", arguments: texts)
  func text(_ event: StreamedEvent, _ text: String) {
    #expect(event.text == text)
  }

  @Test("GET /events streams events as they happen, until their source ends")
  func streams() throws {
    client.send(client.head("GET /events"))
    let head = try #require(client.readHead())
    #expect(head.status == 200)
    #expect(head.headers["content-type"] == "text/event-stream")
    for number in 1...3 {
      events.tell(StreamedEvent(id: "\(number)", name: "tick", data: "\(number)"))
      #expect(next() == "id: \(number)\nevent: tick\ndata: \(number)\n\n")
    }
    events.finish()
    #expect(next() == "")
    #expect(client.readReply() == nil)
    #expect(events.asked == [nil])
  }

  @Test("GET /events passes Last-Event-ID on to the source of events")
  func resumes() {
    client.send(client.head("GET /events", ["Last-Event-ID": "stream/41"]))
    #expect(client.readHead()?.status == 200)
    #expect(events.asked == ["stream/41"])
  }

  @Test("GET /events is 400 with a long Last-Event-ID, 401 without a token, and 404 without events")
  func refuses() throws {
    let long = String(repeating: "1", count: 257)
    #expect(client.ask(client.head("GET /events", ["Last-Event-ID": long]))?.status == 400)
    let stranger = try HTTPClient(server)
    #expect(stranger.ask(stranger.head("GET /events", ["Authorization": nil]))?.status == 401)
    let silent = try RunningListener(RunningListener.http)
    let other = try HTTPClient(silent)
    #expect(other.ask(other.head("GET /events"))?.status == 404)
    #expect(events.asked.isEmpty)
  }

  @Test("GET /events sends a heartbeat while nothing happens")
  func heartbeat() {
    client.send(client.head("GET /events"))
    #expect(client.readHead()?.status == 200)
    #expect(client.readChunk() == ":\n\n")
    #expect(client.readChunk() == ":\n\n")
  }

  @Test("When a client of GET /events leaves, the source of events is told to end", arguments: [true, false])
  func leaves(_ halfCloses: Bool) {
    client.send(client.head("GET /events"))
    #expect(client.readHead()?.status == 200)
    if halfCloses { shutdown(client.stream.descriptor, Int32(SHUT_WR)) } else { client.stream.end() }
    events.ends.wait()
  }

  @Test("When the server ends, GET /events ends its stream with the last chunk and closes")
  func serverEnds() {
    client.send(client.head("GET /events"))
    #expect(client.readHead()?.status == 200)
    server.listener.endOfInput()
    #expect(next() == "")
    #expect(client.readReply() == nil)
    events.ends.wait()
  }
}
