import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct FolderProtectionTests {
  @Test("Protecting a folder protects every file below it and follows no link")
  func links() throws {
    let documents = try DocumentFixture()
    let outside = TemporaryFolder()
    outside.write("outside", to: "inner/file")
    for name in ["a/one", "a/b/two", "three"] { documents.write(name, to: "tree/\(name)") }
    symlink(outside.path, documents.folder.file("tree/out"))
    symlink(outside.file("inner/file"), documents.folder.file("tree/a/out"))
    mkfifo(documents.folder.file("tree/pipe"), 0o600)
    try documents.protect("tree")
    for name in ["a/one", "a/b/two", "three"] {
      #expect(try documents.isEncrypted("tree/\(name)"))
      #expect(try documents.content("tree/\(name)") == name)
    }
    #expect(readFile(outside.file("inner/file")) == Array("outside".utf8))
    #expect(try !documents.isEncrypted())
    symlink(documents.folder.file("tree"), documents.folder.file("link"))
    #expect(failure { try documents.protect("link") }?.code == .unsuitableFile)
  }

  @Test("Protecting a folder reports the files that fail and protects the others")
  func failures() throws {
    let documents = try DocumentFixture()
    for name in ["a", "b", "c"] { documents.write(name, to: "tree/\(name)") }
    let file = try DiskFile(path: documents.folder.file("tree/b"), flags: O_RDWR)
    let error = failure { try documents.protect("tree") }
    #expect(error?.code == .partlyDone)
    #expect(error?.hint != nil)
    #expect(error?.failures.map(\.path) == [documents.folder.file("tree/b")])
    #expect(error?.failures.map(\.code) == [.fileInUse])
    #expect(try documents.isEncrypted("tree/a"))
    #expect(try documents.isEncrypted("tree/c"))
    #expect(try !documents.isEncrypted("tree/b"))
    withExtendedLifetime(file) {}
  }

  @Test("Protecting a folder reports a file whose name is not UTF-8")
  func foreignName() throws {
    let documents = try DocumentFixture()
    documents.write("a", to: "tree/a")
    let name = documents.folder.file("tree/").utf8CString.dropLast() + [-1, 0]
    #expect(rename(documents.folder.file("document"), Array(name)) == 0)
    let error = failure { try documents.protect("tree") }
    #expect(error?.code == .partlyDone)
    #expect(error?.failures.map(\.code) == [.unsuitableFile])
    #expect(try documents.isEncrypted("tree/a"))
  }

  @Test("Protecting a folder reports progress in rising percentages, each once")
  func progress() throws {
    let documents = try DocumentFixture()
    for name in ["a", "b", "c"] { documents.write(DocumentFixture.text, to: "tree/\(name)") }
    let reports = Lock<[ProgressReport]>([])
    let context = CallContext { report in reports.withLock { $0.append(report) } }
    try CallContext.$current.withValue(context) { try documents.protect("tree") }
    let told = reports.withLock { $0 }
    #expect(told.first?.kind == .begin)
    #expect(told.last?.kind == .end)
    let steps = told.filter { $0.kind == .report }.compactMap(\.percentage)
    #expect(steps == [33, 66, 100])
  }

  @Test("Stopping the protection of a folder ends with cancelled if no file is done, else with partlyDone")
  func stopped() throws {
    for (percentage, code, done) in [(0, ErrorCode.cancelled, 0), (33, .cancelled, 0), (66, .partlyDone, 1)] {
      let documents = try DocumentFixture()
      for name in ["a", "b", "c"] { documents.write(DocumentFixture.text, to: "tree/\(name)") }
      let stop = Lock<CommitPoint?>(nil)
      let context = CallContext { report in
        if report.percentage == percentage { _ = stop.withLock { $0 }?.abandon() }
      }
      stop.withLock { $0 = context.commitPoint }
      let error = failure { try CallContext.$current.withValue(context) { try documents.protect("tree") } }
      #expect(error?.code == code)
      let encrypted = try ["a", "b", "c"].filter { try documents.isEncrypted("tree/\($0)") }
      #expect(encrypted == Array(["a", "b", "c"].prefix(done)))
    }
  }

  @Test("Protecting 250 nested folders fails with partlyDone instead of exhausting resources")
  func deep() throws {
    let documents = try DocumentFixture()
    let name = Array(repeating: "d", count: 250).joined(separator: "/")
    documents.write("deep", to: name + "/file")
    let error = failure { try documents.protect("d") }
    #expect(error?.code == .partlyDone)
    #expect(error?.failures.map(\.code) == [.unsuitableFile])
  }
}
