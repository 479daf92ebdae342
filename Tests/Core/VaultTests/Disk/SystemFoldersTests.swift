import Glibc
import Model
import TestSupport
import Testing

@testable import Vault

/// Looks at folders of the machine, and changes none of them.
@Suite struct SystemFoldersTests {
  private let folder = TemporaryFolder()
  private let system: SystemFolders

  init() {
    for name in ["usr/share/doc/file", "home/alice/file", "other/file"] { folder.write("text", to: name) }
    symlink(folder.file("usr/share"), folder.file("other/link"))
    system = SystemFolders(trees: [folder.file("usr"), folder.file("missing")], tops: [folder.file("home")])
  }

  private func open(_ path: String) throws -> DiskFile {
    try DiskFile(opened: Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path: path)
  }

  private func location(_ path: String) throws -> FileLocation { try FileLocation(#require(AbsolutePath(path))) }

  private func isRefused(_ body: () throws(MAMError) -> Void) -> Bool {
    do throws(MAMError) {
      try body()
      return false
    } catch {
      return error.code == .unsuitableFile && error.message.contains("belongs to the system")
    }
  }

  @Test(
    "Folders of the system and trees below them are refused, by any path or link",
    arguments: [
      ("usr", true), ("usr/share/doc", true), ("home", true), ("home/alice", false), ("other", false),
      ("other/link", true), ("other/../usr/share", true), ("home/../other", false),
    ])
  func folders(_ name: String, _ isSystem: Bool) throws {
    let opened = try open(folder.file(name))
    #expect(isRefused { () throws(MAMError) in try system.check(opened) } == isSystem)
  }

  @Test(
    "A file in a system tree is refused; a file in another folder is not",
    arguments: [("usr/share/doc/file", true), ("home/alice/file", false), ("other/file", false)])
  func files(_ name: String, _ isSystem: Bool) throws {
    let file = try location(folder.file(name))
    #expect(isRefused { () throws(MAMError) in try system.check(file) } == isSystem)
  }

  @Test(
    "SystemFolders refuses / and folders such as /usr, /etc and /home",
    arguments: ["/", "/..", "/usr", "/usr/bin", "/etc", "/home", "/var", "/tmp", "/dev", "/root", "/bin"])
  func machine(_ path: String) throws {
    guard access(path, R_OK) == 0 else { return }
    let opened = try open(path)
    #expect(isRefused { () throws(MAMError) in try SystemFolders().check(opened) })
  }

  @Test("SystemFolders allows a folder of documents, even in /tmp")
  func documents() throws {
    let opened = try open(folder.file("other"))
    try SystemFolders().check(opened)
    try SystemFolders().check(location(folder.file("other/file")))
    let hostname = try location("/etc/hostname")
    #expect(isRefused { () throws(MAMError) in try SystemFolders().check(hostname) })
  }

  @Test("A walk skips and reports system folders below its root, and does not follow links")
  func below() throws {
    let top = try open(folder.path)
    var (visited, failures) = ([] as [String], [] as [FileFailure])
    var walk = FileWalk(state: .none) { location, _ throws(MAMError) in
      visited.append(location.path)
    } report: {
      failures.append($0)
    }
    walk.refuse = system.checkItself
    try walk.run(top)
    #expect(visited == [folder.file("other/file")])
    #expect(failures.map(\.path) == [folder.file("home"), folder.file("usr")])
  }
}
