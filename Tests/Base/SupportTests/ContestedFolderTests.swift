import Glibc
import Support
import TestSupport
import Testing

/// Files that others change, too, who know no lock.
@Suite(.timeLimit(.minutes(5))) struct ContestedFolderTests {
  private let temporary = TemporaryFolder(inMemory: true)

  private func withFolder<Result>(_ body: (ContestedFolder) throws -> Result) rethrows -> Result {
    let descriptor = open(temporary.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(descriptor) }
    return try body(ContestedFolder(descriptor))
  }

  private func text(_ name: String) -> String? {
    (try? FileContents.read(temporary.file(name))).map { String(decoding: $0, as: UTF8.self) }
  }

  private var names: [String] {
    var names: [String] = []
    guard let folder = opendir(temporary.path) else { return [] }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  @Test("ContestedFolder adds, replaces and removes a file with the expected content and keeps its mode")
  func expected() throws {
    try withFolder { (folder) throws in
      #expect(try folder.add("a", Array("1".utf8)))
      #expect(text("a") == "1")
      #expect(try !folder.add("a", Array("2".utf8)))
      #expect(text("a") == "1")
      chmod(temporary.file("a"), 0o640)
      #expect(try folder.replace("a", with: Array("2".utf8)) { $0 == Array("1".utf8) })
      #expect(text("a") == "2")
      #expect(names == ["a"])
      var status = stat()
      #expect(stat(temporary.file("a"), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o640)
      #expect(try folder.remove("a") { $0 == Array("2".utf8) })
      #expect(names.isEmpty)
    }
  }

  @Test("ContestedFolder keeps unexpected content, even if it appears during the change")
  func unexpected() throws {
    try withFolder { (folder) throws in
      temporary.write("theirs", to: "a")
      #expect(try !folder.replace("a", with: Array("ours".utf8)) { $0 == Array("old".utf8) })
      #expect(try !folder.remove("a") { $0 == Array("old".utf8) })
      #expect(try !folder.replace("b", with: []) { _ in true })
      // Seen as expected when it was read, and as something else when it came out.
      var calls = 0
      let isDone = try folder.replace("a", with: Array("ours".utf8)) { _ in
        calls += 1
        return calls == 1
      }
      #expect(!isDone)
      #expect(text("a") == "theirs")
      #expect(names == ["a"])
    }
  }

  @Test("ContestedFolder keeps a newer file that others put in place while it undoes a change")
  func newer() throws {
    try withFolder { (folder) throws in
      temporary.write("old", to: "a")
      var calls = 0
      let isDone = try folder.replace("a", with: Array("ours".utf8)) { _ in
        calls += 1
        guard calls == 2 else { return true }
        temporary.write("newer", to: "new")
        rename(temporary.file("new"), temporary.file("a"))
        return false
      }
      #expect(!isDone)
      #expect(text("a") == "newer")
      #expect(names == ["a"])
    }
  }

  @Test("ContestedFolder does not replace a file that is open for writing")
  func writer() throws {
    try withFolder { (folder) throws in
      temporary.write("old", to: "a")
      let file = open(temporary.file("a"), O_WRONLY | O_CLOEXEC)
      #expect(try !folder.replace("a", with: Array("ours".utf8)) { $0 == Array("old".utf8) })
      close(file)
      #expect(text("a") == "old")
      #expect(names == ["a"])
      #expect(try folder.replace("a", with: Array("ours".utf8)) { $0 == Array("old".utf8) })
    }
  }

  @Test("ContestedFolder refuses to follow symbolic links")
  func links() throws {
    try withFolder { (folder) throws in
      temporary.write("old", to: "a")
      symlink("a", temporary.file("link"))
      #expect(throws: SystemError(number: ELOOP)) { try folder.replace("link", with: []) { _ in true } }
      #expect(text("a") == "old")
    }
  }

  /// The name of what a killed process leaves of a change of `a`.
  private func leftover(new: stat?, old: stat) -> String {
    let numbers = [Int(new?.st_ino ?? 0), Int(old.st_ino), old.st_size, old.st_mtim.tv_sec, old.st_mtim.tv_nsec]
    return ".a.\(numbers.map(String.init).joined(separator: "-")).mambridge-edit"
  }

  private func status(_ name: String) -> stat {
    var status = stat()
    lstat(temporary.file(name), &status)
    return status
  }

  @Test(
    "ContestedFolder finishes or undoes the change of a killed process and keeps files of others",
    arguments: [
      "unnamed", "not yet exchanged", "exchanged", "exchanged for theirs", "exchanged, and theirs came later",
      "removed", "removed theirs",
    ])
  func finished(state: String) throws {
    temporary.write("old", to: "old")
    temporary.write("ours", to: "ours")
    temporary.write("theirs", to: "theirs")
    let (old, new) = (status("old"), status("ours"))
    func move(_ name: String, to target: String) { rename(temporary.file(name), temporary.file(target)) }
    let draft = leftover(new: state.hasPrefix("removed") ? nil : new, old: old)
    let expected: String?
    switch state {
    case "unnamed":
      move("ours", to: ".a.mambridge-new")
      move("old", to: "a")
      expected = "old"
    case "not yet exchanged":
      move("ours", to: draft)
      move("old", to: "a")
      expected = "old"
    case "exchanged":
      move("old", to: draft)
      move("ours", to: "a")
      expected = "ours"
    case "exchanged for theirs":
      move("theirs", to: draft)
      move("ours", to: "a")
      expected = "theirs"
    case "exchanged, and theirs came later":
      move("old", to: draft)
      move("theirs", to: "a")
      expected = "theirs"
    case "removed":
      move("old", to: draft)
      expected = nil
    default:
      move("theirs", to: draft)
      expected = "theirs"
    }
    for name in ["old", "ours", "theirs"] { unlink(temporary.file(name)) }
    try withFolder { try $0.finish() }
    #expect(text("a") == expected)
    #expect(names == (expected == nil ? [] : ["a"]))
  }
}
