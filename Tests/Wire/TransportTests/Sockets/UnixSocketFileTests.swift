import Glibc
import TestSupport
import Testing

@testable import Transport

@Suite("The file of a unix socket")
struct UnixSocketFileTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.file("run/socket") }
  private var lockPath: String { path + ".lock" }

  @Test("Only this user can use a unix socket, its lock file and the folder that is made for them")
  func modes() throws {
    let file = try UnixSocketFile(path: path)
    #expect(mode(path) == S_IFSOCK | 0o600)
    #expect(mode(lockPath) == S_IFREG | 0o600)
    #expect(mode(folder.file("run")) == S_IFDIR | 0o700)
    close(file.descriptor)
  }

  @Test("A server removes its unix socket and lock file at the end, but not those of a later server")
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

  @Test("A second server on a unix socket fails with inUse and leaves the socket in place")
  func inUse() throws {
    let file = try UnixSocketFile(path: path)
    #expect(throws: UnixSocketFile.Failure.inUse(path: path)) { try UnixSocketFile(path: path) }
    #expect(mode(path) != nil)
    #expect(mode(lockPath) != nil)
    close(file.descriptor)
  }

  @Test("If many servers take the path of a unix socket at once, exactly one gets it")
  func race() throws {
    let threads = (0..<16).map { _ in TestThread { [path] in try? UnixSocketFile(path: path) } }
    let files = threads.compactMap { $0.join().flatMap { $0 } }
    #expect(files.count == 1)
    for file in files { close(file.descriptor) }
  }

  @Test("A unix socket that a former server left behind is replaced")
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

  @Test("A unix socket that is served without a lock file is left in place")
  func live() throws {
    mkdir(folder.file("run"), 0o700)
    let other = bound(path)
    listen(other, 1)
    #expect(throws: UnixSocketFile.Failure.inUse(path: path)) { try UnixSocketFile(path: path) }
    #expect(mode(path) != nil)
    #expect(mode(lockPath) == nil)
    close(other)
  }

  @Test("A file or a symbolic link at the path of a unix socket is refused")
  func noSocket() throws {
    mkdir(folder.file("run"), 0o700)
    folder.write("data", to: "run/socket")
    #expect(throws: UnixSocketFile.Failure.notASocket(path: path)) { try UnixSocketFile(path: path) }
    unlink(path)
    symlink(folder.write("data", to: "target"), path)
    #expect(throws: UnixSocketFile.Failure.notASocket(path: path)) { try UnixSocketFile(path: path) }
  }

  @Test("A socket's folder that others may enter is refused", arguments: [0o755, 0o710, 0o701, 0o720] as [mode_t])
  func openFolder(_ mode: mode_t) throws {
    mkdir(folder.file("run"), 0o700)
    chmod(folder.file("run"), mode)
    #expect(throws: UnixSocketFile.Failure.folderOpenToOthers(folder.file("run"))) { try UnixSocketFile(path: path) }
  }

  @Test("A socket's folder that cannot be made, or is a file, is an error with path and errno")
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
