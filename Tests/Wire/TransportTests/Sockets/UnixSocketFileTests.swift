import Glibc
import TestSupport
import Testing

@testable import Transport

@Suite("A socket in the file system")
struct UnixSocketFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("run/socket") }
  private var lockPath: String { path + ".lock" }

  @Test("for this user alone, in a folder that is made for it")
  func modes() throws {
    let file = try UnixSocketFile(path: path)
    #expect(mode(path) == S_IFSOCK | 0o600)
    #expect(mode(lockPath) == S_IFREG | 0o600)
    #expect(mode(folder.file("run")) == S_IFDIR | 0o700)
    close(file.descriptor)
  }

  @Test("socket and lock file are removed at the end, once")
  func removed() throws {
    let file = try UnixSocketFile(path: path)
    close(file.descriptor)
    file.remove()
    #expect(mode(path) == nil)
    #expect(mode(lockPath) == nil)
    let next = try UnixSocketFile(path: path)
    file.remove()
    #expect(mode(path) != nil)
    close(next.descriptor)
  }

  @Test("a second server is told that there is one, and harms it not")
  func inUse() throws {
    let file = try UnixSocketFile(path: path)
    #expect(throws: UnixSocketFile.Failure.inUse(path: path)) { try UnixSocketFile(path: path) }
    #expect(mode(path) != nil)
    #expect(mode(lockPath) != nil)
    close(file.descriptor)
  }

  @Test("of many that come at once, one gets it")
  func race() throws {
    let threads = (0..<16).map { _ in TestThread { [path] in try? UnixSocketFile(path: path) } }
    let files = threads.compactMap { $0.join().flatMap { $0 } }
    #expect(files.count == 1)
    for file in files { close(file.descriptor) }
  }

  @Test("a socket that is left over is replaced")
  func stale() throws {
    mkdir(folder.file("run"), 0o700)
    close(bound(path))
    #expect(mode(path) != nil)
    let file = try UnixSocketFile(path: path)
    listen(file.descriptor, 1)
    let client = makeUnixSocket()
    #expect(withUnixAddress(path) { connect(client, $0, $1) } == 0)
    close(client)
    close(file.descriptor)
  }

  @Test("a socket that somebody serves without a lock file stays")
  func live() throws {
    mkdir(folder.file("run"), 0o700)
    let other = bound(path)
    listen(other, 1)
    #expect(throws: UnixSocketFile.Failure.inUse(path: path)) { try UnixSocketFile(path: path) }
    #expect(mode(path) != nil)
    #expect(mode(lockPath) == nil)
    close(other)
  }

  @Test("what is no socket stays")
  func noSocket() throws {
    mkdir(folder.file("run"), 0o700)
    folder.write("data", to: "run/socket")
    #expect(throws: UnixSocketFile.Failure.notASocket(path: path)) { try UnixSocketFile(path: path) }
    unlink(path)
    symlink(folder.write("data", to: "target"), path)
    #expect(throws: UnixSocketFile.Failure.notASocket(path: path)) { try UnixSocketFile(path: path) }
  }

  @Test("a folder that others may enter is refused by its name", arguments: [0o755, 0o710, 0o701, 0o720] as [mode_t])
  func openFolder(_ mode: mode_t) throws {
    mkdir(folder.file("run"), 0o700)
    chmod(folder.file("run"), mode)
    #expect(throws: UnixSocketFile.Failure.folderOpenToOthers(folder.file("run"))) { try UnixSocketFile(path: path) }
  }

  @Test("a folder that cannot be made, or is none, is an error of its own")
  func noFolder() {
    let deep = folder.file("missing/run")
    #expect(throws: UnixSocketFile.Failure.failed(path: deep, errno: ENOENT)) {
      try UnixSocketFile(path: deep + "/socket")
    }
    folder.write("", to: "run")
    #expect(throws: UnixSocketFile.Failure.failed(path: folder.file("run"), errno: ENOTDIR)) {
      try UnixSocketFile(path: path)
    }
  }

  private func mode(_ path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
  }

  private func bound(_ path: String) -> Int32 {
    let descriptor = makeUnixSocket()
    _ = withUnixAddress(path) { bind(descriptor, $0, $1) }
    return descriptor
  }
}
