import Glibc
import Support
import TestSupport
import Testing

@testable import MAM
@testable import Model
@testable import Vault

/// Copies of a state, in which everything can be tried.
@Suite(.timeLimit(.minutes(5))) struct StateCopyTests {
  let fixture = CoreFixture()

  private var target: StateFolder { StateFolder(root: fixture.state.root + "-copy", appId: fixture.state.appId) }

  private func makeState() throws {
    let core = try fixture.core()
    #expect(try core.enroll("alice") == 100)
    core.end()
  }

  @Test("A state is copied without its root secret, and the original's secret opens the copy")
  func rootSecret() throws {
    try makeState()
    let secret = try #require(fixture.state.keyFile)
    close(open(secret + ".next", O_WRONLY | O_CREAT, 0o600))
    try StateCopy(of: fixture.state, to: target).make()
    let names = try Folder.names(target.keys)
    #expect(names.contains("store.key"), "\(names)")
    #expect(!names.contains { $0.hasPrefix("root.key") }, "\(names)")
    var configuration = CoreConfiguration(
      stateFolder: target, tenant: .folder(fixture.tenant.path), clock: fixture.clock)
    configuration.rootSecret = .keyFile(at: secret)
    let copy = Core(configuration)
    let sealed = try copy.protection.protect([1, 2, 3], for: .user("alice"))
    #expect(try copy.protection.unprotect(sealed) == [1, 2, 3])
    copy.end()
  }

  @Test("A copy of a state is marked for development only if the original is")
  func development() throws {
    try makeState()
    try StateCopy(of: fixture.state, to: target).make()
    #expect(!target.isForDevelopment)
    try Folder.remove(target.root)
    close(open(fixture.state.root + "/development", O_WRONLY | O_CREAT, 0o600))
    try StateCopy(of: fixture.state, to: target).make()
    #expect(target.isForDevelopment)
  }

  @Test("Copying a damaged state fails at once with an error that names the damaged file", arguments: [false, true])
  func damaged(isDevice: Bool) throws {
    try makeState()
    let path = isDevice ? fixture.state.device : fixture.state.database
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let garbage = Array(String(repeating: "this is no database\n", count: 300).utf8)
    #expect(write(descriptor, garbage, garbage.count) == garbage.count)
    close(descriptor)
    let start = ContinuousClock.now
    let error = #expect(throws: MAMError.self) { try StateCopy(of: fixture.state, to: target).make() }
    #expect(error?.code == .damaged, "\(String(describing: error))")
    #expect(error?.path == path, "\(String(describing: error))")
    #expect(start.duration(to: .now) < .seconds(4))
  }

  @Test("Removing a folder overwrites its files at any depth, and also removes links")
  func remove() throws {
    let path = fixture.folder.file("throwaway")
    for folder in [path, path + "/keys"] { #expect(mkdir(folder, 0o700) == 0) }
    let file = path + "/keys/root.key.next"
    let descriptor = open(file, O_RDWR | O_CREAT, 0o600)
    #expect(write(descriptor, "secret", 6) == 6)
    #expect(symlink("nowhere", path + "/link") == 0)
    try Folder.remove(path)
    var bytes = [UInt8](repeating: 1, count: 6)
    #expect(pread(descriptor, &bytes, 6, 0) == 6)
    #expect(bytes.allSatisfy { $0 == 0 })
    #expect(!Folder.exists(path))
    close(descriptor)
    try Folder.remove(path)
  }

  @Test(
    "A file that cannot be removed does not prevent the removal of the others",
    .enabled(if: Privileges.isRoot, "needs root"))
  func removeRest() throws {
    let path = fixture.folder.file("throwaway")
    let folders = (1...8).map { "\(path)/\($0)" }
    for folder in [path] + folders { #expect(mkdir(folder, 0o700) == 0) }
    for folder in folders { close(open(folder + "/store.key", O_WRONLY | O_CREAT, 0o600)) }
    // Two, because names come in the order of the file system, in which one could be the last.
    let kept = folders[3...4].map { $0 + "/store.key" }
    defer { for file in kept { _ = Privileges.setImmutable(file, false) } }
    guard kept.allSatisfy({ Privileges.setImmutable($0, true) }) else { return }
    let error = #expect(throws: MAMError.self) { try Folder.remove(path) }
    #expect(error?.path.map { kept.contains($0) } == true, "\(String(describing: error))")
    #expect(Set(try Folder.names(path)) == ["4", "5"])
  }
}
