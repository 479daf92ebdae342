import Glibc
import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// Folders that nobody who protects documents means.
@Suite struct ForeignStateTests {
  private let documents: DocumentFixture
  private let other = CoreFixture()

  init() throws {
    documents = try DocumentFixture()
    other.tenant.writePolicy(#""pinRequired": true"#)
    let core = try other.core()
    #expect(try core.enroll("alice") == 100)
    _ = try core.protection.protect([1], for: .user("alice"))
    #expect(rename(other.state.root, documents.folder.file("their state")) == 0)
  }

  private var state: String { documents.folder.file("their state") }

  /// All below it, hidden files too.
  private func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let walk = FileWalk(state: .none) { location, _ in
      files[location.path] = readFile(location.path)
    } report: { _ in
    }
    try walk.run(DiskFile(opened: open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC), path: state))
    return files
  }

  @Test(
    "Protecting a folder skips the state folder of another mambridge and reports it",
    arguments: [true, false])
  func foreignState(isMarked: Bool) throws {
    if !isMarked { #expect(unlink(state + "/" + StateMarker.name) == 0) }
    let before = try files()
    let error = try #require(#expect(throws: MAMError.self) { try protect(folder) })
    #expect(error.code == .partlyDone)
    #expect(error.failures.map(\.path) == [state])
    #expect(error.failures.first?.code == .unsuitableFile)
    #expect(try files() == before)
    #expect(try documents.isEncrypted())
    for name in ["apps", "keys/store.key", "device.db"] {
      let path = try #require(AbsolutePath(state + "/" + name))
      #expect(#expect(throws: MAMError.self) { try protect(path) }?.code == .unsuitableFile)
    }
    #expect(try files() == before)
  }

  private func protect(_ path: AbsolutePath, stayingIn root: AbsolutePath? = nil) throws {
    try core.files.protectAll(path, for: .user("alice"), renewsKey: true, stayingIn: root)
  }

  private var core: Core { documents.core }
  private var folder: AbsolutePath { AbsolutePath(documents.folder.path) ?? .root }

  @Test(
    "Files of the kernel, such as those in /proc and /sys, cannot be protected",
    arguments: ["/proc/self", "/sys", "/dev/pts", "/proc/self/comm"])
  func kernel(path: String) throws {
    guard access(path, F_OK) == 0 else { return }
    let path = try #require(AbsolutePath(path))
    let error = #expect(throws: MAMError.self) { try protect(path) }
    #expect(error?.code == .unsuitableFile || error?.failures.first?.code == .unsuitableFile)
    #expect(error?.description.contains("holds no user data") == true || error?.failures.isEmpty == false)
  }

  @Test("A link in a path is followed, unless it leads out of the folder in which the path must stay")
  func stayingIn() throws {
    let outside = TemporaryFolder()
    outside.write("text", to: "letter")
    #expect(symlink(outside.path, documents.folder.file("link")) == 0)
    #expect(symlink(documents.folder.path, documents.folder.file("round")) == 0)
    let path = try #require(AbsolutePath(documents.folder.file("link") + "/letter"))
    let error = #expect(throws: MAMError.self) { try protect(path, stayingIn: folder) }
    #expect(error?.code == .unsuitableFile)
    #expect(readFile(outside.file("letter")) == Array("text".utf8))
    let inside = try #require(AbsolutePath(documents.folder.file("round") + "/document"))
    try protect(inside, stayingIn: folder)
    #expect(try documents.isEncrypted())
    try protect(path)
    #expect(readFile(outside.file("letter"))?.starts(with: FileHeader.magic) == true)
  }
}
