import Glibc
import JSON
import TestSupport
import Testing

@testable import Bridge
@testable import MAM

@Suite(.timeLimit(.minutes(5)), .ownThreads) struct LogFeedTests {
  private func write(_ host: TestHost, _ messages: String..., level: JSONValue = "info") throws {
    for message in messages {
      _ = try host.call("diagnosticsLog.write", ["level": level, "message": .string(message)])
    }
  }

  @Test("A log feed returns lines as they are written, and another feed can resume after any of them")
  func resumes() async throws {
    let host = try TestHost()
    try write(host, "before")
    let feed = host.bridge.log(from: nil, after: nil)
    try write(host, "one", "two", "three")
    var lines = feed.makeAsyncIterator()
    let first = try #require(await lines.next())
    #expect(first.line.message == "one")
    var later = host.bridge.log(from: nil, after: first.id).makeAsyncIterator()
    #expect(await later.next()?.line.message == "two")
    #expect(await later.next()?.line.message == "three")
  }

  @Test("A log feed omits lines below its level")
  func level() async throws {
    let host = try TestHost()
    try write(host, "start")
    var lines = host.bridge.log(from: .warning, after: nil).makeAsyncIterator()
    try write(host, "quiet")
    try write(host, "loud", level: "error")
    #expect(await lines.next()?.line.message == "loud")
  }

  @Test("A log feed from an unknown id reports missing lines and starts at the oldest", arguments: ["", "1/2/3", "x"])
  func gap(_ id: String) async throws {
    let host = try TestHost()
    try write(host, "oldest")
    var lines = host.bridge.log(from: nil, after: id).makeAsyncIterator()
    #expect(await lines.next()?.line.message == "lines before this one are missing")
    #expect(await lines.next()?.line.message == "oldest")
  }

  @Test("A log feed continues in the new file when the log is rotated")
  func rotation() async throws {
    let folder = TemporaryFolder()
    let host = try TestHost(folder: folder)
    try write(host, "old")
    var lines = host.bridge.log(from: nil, after: nil).makeAsyncIterator()
    try write(host, "last")
    let log = try host.bridge.core.refresh().log
    #expect(rename(log.folder.currentPath, log.folder.previousPath) == 0)
    host.clock.advance(byMilliseconds: 1000)
    try write(host, "new")
    #expect(await lines.next()?.line.message == "last")
    #expect(await lines.next()?.line.message == "new")
  }
}
