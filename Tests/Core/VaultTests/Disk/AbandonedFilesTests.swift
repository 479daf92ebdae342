import Glibc
import Support
import TestSupport
import Testing

@testable import Vault

@Suite struct AbandonedFilesTests {
  private static func lock(_ path: String) throws -> Int32 {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    let folder = descriptor >= 0 ? descriptor : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(Flock.take(folder) == .taken)
    return folder
  }

  @Test("what nobody locks is removed, and nothing else", arguments: [nil, "in-use"])
  func removal(lockName: String?) throws {
    let parent = TemporaryFolder()
    for name in ["ours-used", "ours-left", "ours-bare", "other"] {
      try #require(mkdir(parent.file(name), 0o700) == 0)
      guard let lockName, name != "ours-bare" else { continue }
      close(open(parent.file(name) + "/" + lockName, O_CREAT | O_CLOEXEC, 0o600))
    }
    close(open(parent.file("ours-file"), O_CREAT | O_CLOEXEC, 0o600))
    let held = [
      try Self.lock(parent.file("ours-used") + (lockName.map { "/" + $0 } ?? "")),
      try Self.lock(parent.file("ours-run")),
    ]
    defer { for descriptor in held { close(descriptor) } }
    AbandonedFiles.remove(from: parent.path, lockName: lockName)
    #expect(try Folder.names(parent.path).count == 6)
    // How long new entries are spared is in whole seconds.
    AbandonedFiles.remove(from: parent.path, lockName: lockName, at: time(nil) + 3) { $0.hasPrefix("ours-") }
    let files = lockName == nil ? ["ours-file", "ours-run"] : ["ours-run"]
    #expect(try Folder.names(parent.path).sorted() == ["other"] + files + ["ours-used"])
  }

  @Test("a folder is removed although somebody makes files in it meanwhile")
  func contested() async throws {
    let parent = TemporaryFolder()
    let path = parent.file("folder")
    try #require(mkdir(path, 0o700) == 0)
    let maker = Task.detached {
      for number in 0..<200 { close(open("\(path)/\(number)", O_CREAT | O_CLOEXEC, 0o600)) }
    }
    AbandonedFiles.removeFolder(path)
    await maker.value
    AbandonedFiles.removeFolder(path)
    #expect(access(path, F_OK) != 0)
  }

  @Test("A folder whose lock cannot be opened stays, because somebody may use it")
  func unknownLock() throws {
    let parent = TemporaryFolder()
    let path = parent.file("folder")
    try #require(mkdir(path, 0o700) == 0 && symlink("nowhere", path + "/in-use") == 0)
    AbandonedFiles.remove(from: parent.path, lockName: "in-use", at: time(nil) + 3)
    #expect(access(path, F_OK) == 0)
  }

  @Test("A folder that cannot be removed is given up after a second")
  func stuck() throws {
    let parent = TemporaryFolder()
    let path = parent.file("folder")
    try #require(mkdir(path, 0o700) == 0)
    // No text of Swift has such a name.
    let entry = Array((path + "/").utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0]
    close(open(entry, O_CREAT | O_CLOEXEC, 0o600))
    defer { unlink(entry) }
    let start = ContinuousClock.now
    AbandonedFiles.removeFolder(path)
    #expect(ContinuousClock.now - start < .seconds(10) && access(path, F_OK) == 0)
  }
}
