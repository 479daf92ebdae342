import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import MAM

@Suite struct LogRotationTests {
  @Test("A full log file replaces the previous one, and logPaths lists the files that exist")
  func rotation() throws {
    let fixture = LogFixture(maximumFileSize: 1000)
    #expect(fixture.log.logPaths == [])
    for number in 0..<30 {
      fixture.log.write(.info, .policy, "line \(number)")
      if number == 0 { #expect(fixture.log.logPaths == [fixture.current]) }
    }
    #expect(fixture.log.logPaths == [fixture.current, fixture.previous])
    let messages = try fixture.messages()
    #expect(messages.count < 30)
    #expect(messages == (30 - messages.count..<30).map { "line \($0)" })
    for path in fixture.log.logPaths { #expect((readFile(path) ?? []).count <= 1000) }
  }

  @Test("Several logs on one folder lose no line while one of them rotates the file")
  func sharedFolder() async throws {
    let fixture = LogFixture()
    let folder = fixture.folder.file("logs")
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        let log = DiagnosticsLog(
          folder: folder, clock: fixture.clock, salt: LogFixture.salt, maximumFileSize: 200_000)
        group.addTask {
          for number in 0..<500 { log.write(.info, .policy, "writer \(writer) line \(number)") }
        }
      }
    }
    let messages = try fixture.messages()
    #expect(messages.count == 2000)
    #expect(Set(messages).count == 2000)
    #expect(fixture.log.logPaths.count == 2)
  }

  @Test("Rotating a file that another process already rotated leaves the new file in place")
  func rotatedOnce() throws {
    let fixture = LogFixture()
    fixture.log.write(.info, .policy, "one")
    let full = try #require(FileStatus(path: fixture.current))
    let log = LogFolder(fixture.folder.file("logs"), maximumSize: 1000)
    log.rotate(full)
    fixture.log.write(.info, .policy, "two")
    log.rotate(full)
    #expect(try fixture.messages() == ["one", "two"])
    #expect(fixture.log.logPaths == [fixture.current, fixture.previous])
  }

  @Test("A log whose file was removed starts a new file")
  func removed() throws {
    let fixture = LogFixture()
    fixture.log.write(.info, .policy, "one")
    unlink(fixture.current)
    fixture.log.write(.info, .policy, "two")
    #expect(try fixture.messages() == ["two"])
  }

  @Test("Lines that cannot be written are reported once, and counted when the log is writable again")
  func outage() throws {
    let fixture = LogFixture()
    fixture.folder.write("in the way", to: "logs")
    for _ in 0..<3 { fixture.log.write(.info, .policy, "lost") }
    #expect(fixture.failures.withLock { $0.count } == 1)
    unlink(fixture.folder.file("logs"))
    fixture.log.write(.info, .policy, "back")
    let messages = try fixture.messages()
    #expect(messages.count == 2)
    #expect(messages.first?.hasPrefix("3 lines since 2026-01-31T09:30:00.000Z could not be written (") == true)
    #expect(messages.last == "back")
  }

  @Test("The log does not follow a link in place of its file")
  func link() {
    let fixture = LogFixture()
    let target = fixture.folder.write("keep", to: "apps/target")
    fixture.folder.write("", to: "logs/x")
    symlink(target, fixture.current)
    fixture.log.write(.info, .policy, "one")
    #expect(readFile(target).map { String(decoding: $0, as: UTF8.self) } == "keep")
    #expect(fixture.failures.withLock { $0.count } == 1)
  }
}
