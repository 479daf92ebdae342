import Glibc
import Model
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct StateTrustTests {
  private let fixture = CoreFixture()
  private var state: StateFolder { fixture.state }

  /// With what a user has who enrolled alice.
  init() throws {
    #expect(try fixture.core().enroll("alice") == 100)
  }

  private func refusal(_ state: StateFolder? = nil) -> MAMError? {
    do throws(MAMError) {
      try (state ?? self.state).checkTrust()
      return nil
    } catch {
      return error
    }
  }

  @Test("A new state is trusted, even in a sticky folder that everybody can write to")
  func trusted() {
    #expect(refusal() == nil)
    #expect(refusal(StateFolder(root: fixture.folder.file("new/state"), appId: "a")) == nil)
    let shared = fixture.folder.file("shared")
    mkdir(shared, 0o700)
    chmod(shared, 0o1777)
    #expect(refusal(StateFolder(root: shared + "/state", appId: "a")) == nil)
  }

  @Test(
    "If others can write to the state, each call fails with 6007, the path and a chmod command",
    arguments: [
      "", "/keys", "/keys/epoch", "/keys/store.key", "/apps", "/apps/com.example.host",
      "/apps/com.example.host/state.db", "/apps/com.example.host/logs",
    ], [0o020, 0o002] as [mode_t])
  func sharedState(name: String, bit: mode_t) throws {
    let path = state.root + name
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(chmod(path, status.st_mode & 0o7777 | bit) == 0)
    let core = try fixture.core()
    for call in [{ try core.enroll("bob") }, { try core.unenroll("alice") }] {
      let error = try #require(#expect(throws: MAMError.self) { try call() })
      #expect(error.code == .wrongPermissions)
      #expect(error.path == path)
      #expect(error.hint?.contains("chmod go-w '\(path)'") == true)
    }
    #expect(refusal(StateFolder(root: state.root, appId: state.appId, trustsParents: true))?.path == path)
    let hint = try #require(refusal()?.hint?.split(separator: "run: ").last)
    #expect(try Subprocess.run("/bin/sh", ["-c", String(hint)]).status == 0)
    #expect(try core.account("alice")?.isEnrolled == true)
  }

  @Test("A key folder or key file that others can write to is refused")
  func sharedKeys() throws {
    let folder = try #require(try Folder.names(state.keys).first { $0.utf8.count == 64 })
    for name in [folder] + (try Folder.names("\(state.keys)/\(folder)")).map({ "\(folder)/\($0)" }) {
      let path = "\(state.keys)/\(name)"
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(chmod(path, status.st_mode & 0o7777 | 0o002) == 0)
      #expect(refusal()?.path == path)
      #expect(chmod(path, status.st_mode & 0o7777) == 0)
    }
    #expect(refusal() == nil)
  }

  @Test("A link inside the state folder is refused; a link to the state folder is followed")
  func links() {
    #expect(rename(state.logs, fixture.folder.file("logs")) == 0)
    #expect(symlink(fixture.folder.file("logs"), state.logs) == 0)
    #expect(refusal()?.path == state.logs)
    #expect(refusal()?.message == "the state cannot be trusted: \(state.logs) is a symbolic link")
    unlink(state.logs)
    #expect(symlink("state", fixture.folder.file("link")) == 0)
    #expect(refusal(StateFolder(root: fixture.folder.file("link"), appId: state.appId)) == nil)
    chmod(state.root, 0o770)
    #expect(refusal(StateFolder(root: fixture.folder.file("link"), appId: state.appId)) != nil)
  }

  @Test("Every folder above the state must be private or sticky, unless --trust-parents is set")
  func sharedParents() {
    let (above, below) = (fixture.folder.file("a"), fixture.folder.file("a/b"))
    for folder in [above, below] { mkdir(folder, 0o700) }
    let place = StateFolder(root: below + "/c/state", appId: "a")
    symlink(below, fixture.folder.file("a/link"))
    for path in [place.root, fixture.folder.file("a/link/c/state"), fixture.folder.file("a/b/../b/c/state")] {
      for (folder, mode) in [(above, 0o770), (below, 0o707)] as [(String, mode_t)] {
        chmod(folder, mode)
        let error = refusal(StateFolder(root: path, appId: "a"))
        #expect(error?.path == folder, "\(path)")
        #expect(error?.hint?.contains("chmod go-w '\(folder)'") == true, "\(path)")
        #expect(error?.hint?.contains("--trust-parents") == true)
        #expect(refusal(StateFolder(root: path, appId: "a", trustsParents: true)) == nil)
        chmod(folder, 0o1777)
        #expect(refusal(StateFolder(root: path, appId: "a")) == nil)
        chmod(folder, 0o700)
      }
    }
  }

  @Test("A folder that contains a link to the state must not be writable for others")
  func sharedLink() {
    let shared = fixture.folder.file("shared")
    mkdir(shared, 0o700)
    symlink(state.root, shared + "/link")
    let place = StateFolder(root: shared + "/link", appId: state.appId)
    #expect(refusal(place) == nil)
    chmod(shared, 0o777)
    #expect(refusal(place)?.path == shared)
  }

  @Test(
    "SQLite files that others can write to, or that are links, are refused before they are opened",
    arguments: ["state.db", "state.db-wal", "state.db-shm"])
  func database(name: String) throws {
    let path = state.app + "/" + name
    if access(path, F_OK) != 0 { fixture.folder.write("", to: "state/apps/\(state.appId)/\(name)") }
    chmod(path, 0o606)
    let error = #expect(throws: MAMError.self) { try Store(path: state.database, migrations: StateSchema.app) }
    #expect(error?.code == .wrongPermissions)
    #expect(error?.path == path)
    chmod(path, 0o600)
    #expect(rename(path, path + ".away") == 0)
    #expect(symlink(path + ".away", path) == 0)
    #expect(throws: MAMError(.wrongPermissions, "")) { try Store(path: state.database, migrations: StateSchema.app) }
  }

  @Test(
    "State files that belong to another user are refused",
    .enabled(if: Privileges.isRoot, "needs root to give files away"))
  func foreign() throws {
    for path in [state.root, state.apps, state.app, state.database, state.keys + "/store.key"] {
      #expect(lchown(path, 4711, 0) == 0)
      let error = refusal()
      #expect(error?.code == .wrongPermissions)
      #expect(error?.path == path)
      #expect(error?.hint?.contains("chown -R 0 '\(path)'") == true)
      #expect(error?.message.contains("4711") == true)
      #expect(lchown(path, 0, 0) == 0)
    }
    #expect(lchown(fixture.folder.path, 4711, 0) == 0)
    #expect(refusal()?.path == fixture.folder.path)
    #expect(lchown(fixture.folder.path, 65534, 0) == 0)
    #expect(refusal() == nil, "the overflow user")
    #expect(lchown(fixture.folder.path, 0, 0) == 0)
  }

  @Test(
    "The folders above a state are checked only up to its mount point",
    .enabled(if: Privileges.canMount, "needs root to mount"))
  func mountPoint() throws {
    let (above, mount) = (fixture.folder.file("above"), fixture.folder.file("above/mount"))
    for folder in [above, mount] { mkdir(folder, 0o700) }
    let place = StateFolder(root: mount + "/state", appId: "a")
    chmod(above, 0o777)
    #expect(refusal(place)?.path == above)
    #expect(try Subprocess.run("/bin/mount", ["--bind", mount, mount]).status == 0)
    defer { _ = try? Subprocess.run("/bin/umount", [mount]) }
    #expect(refusal(place) == nil)
    chmod(mount, 0o777)
    #expect(refusal(place)?.path == mount)
  }
}
