import Glibc
import ServiceSource
import SourceProtocol
import Support
import TestSupport
import Testing

@testable import SignIn

@Suite("Token cache") struct TokenCacheTests {
  let folder: TemporaryFolder
  let path: String

  init() {
    folder = TemporaryFolder()
    path = folder.path + "/sign-ins"
  }

  private func filled(_ keyCommand: [String]? = nil) async throws -> TokenCache {
    let cache = TokenCache(path, keyCommand: keyCommand)
    _ = try await FakeProvider().signIn(cache).withDeviceCode { _ in true }
    return cache
  }

  @Test("The files of the token cache have mode 600 in new folders with mode 700") func modes() async throws {
    let cache = TokenCache(folder.path + "/a/b/sign-ins")
    _ = try await FakeProvider().signIn(cache).withDeviceCode { _ in true }
    var status = stat()
    for (path, mode) in [("a", 0o700), ("a/b", 0o700)] + ["", ".key", ".lock"].map({ ("a/b/sign-ins" + $0, 0o600) }) {
      #expect(stat(folder.path + "/" + path, &status) == 0, "\(path)")
      #expect(Int(status.st_mode & 0o777) == mode, "\(path)")
    }
    let files = ["", ".key", ".lock"].map { cache.path + $0 }
    #expect(filesOf(folder: folder.path + "/a/b") == files)
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    var kind = SignInFailure.Kind.cache
    var needsRoot = false
    /// Gets the path of the cache and the folder.
    let make: @Sendable (_ path: String, _ folder: String) throws -> Void

    var testDescription: String { name }
  }

  static let faults: [Fault] = [
    Fault(name: "readable by others", text: "chmod 600") { path, _ in chmod(path, 0o640) },
    Fault(name: "a key readable by others", text: "sign-ins.key. Run: chmod 600") { path, _ in
      chmod(path + ".key", 0o604)
    },
    Fault(name: "a folder that others can change", text: "chmod 700") { _, folder in chmod(folder, 0o777) },
    Fault(name: "a folder that its group can change", text: "chmod 700") { _, folder in chmod(folder, 0o720) },
    Fault(name: "a symbolic link", text: "it is a symbolic link") { path, folder in
      rename(path, folder + "/other")
      symlink(folder + "/other", path)
    },
    Fault(name: "a hard link", text: "has a second name") { path, folder in link(path, folder + "/other") },
    Fault(name: "a folder in its place", text: "is not a regular file") { path, _ in
      unlink(path)
      mkdir(path, 0o700)
    },
    Fault(name: "of another user", text: "belongs to another user (id 65534)", needsRoot: true) { path, _ in
      chown(path, 65534, 65534)
    },
    Fault(name: "a folder of another user", text: "belongs to another user (id 65534)", needsRoot: true) { _, folder in
      chown(folder, 65534, 65534)
    },
    Fault(name: "cut off", text: "does not open with its key file") { path, _ in truncate(path, 100) },
    Fault(name: "empty", text: "is damaged") { path, _ in truncate(path, 0) },
    Fault(name: "too large", text: "is damaged") { path, _ in truncate(path, 2 << 20) },
    Fault(name: "another file", text: "is damaged") { path, _ in try write("something else", path) },
    Fault(name: "a changed byte", text: "does not open with its key file") { path, _ in
      var bytes = try FileContents.read(path)
      bytes[40] ^= 1
      try write(String(decoding: bytes, as: UTF8.self), path)
    },
    Fault(name: "a missing key", text: "is missing. Restore it") { path, _ in unlink(path + ".key") },
    Fault(name: "a short key", text: "it has 5 bytes instead of 32") { path, _ in truncate(path + ".key", 5) },
    Fault(name: "another key", text: "does not open with its key file") { path, _ in
      try write(String(repeating: "k", count: 32), path + ".key")
    },
  ]

  private static func write(_ text: String, _ path: String) throws {
    let file = open(path, O_WRONLY | O_TRUNC)
    defer { close(file) }
    try #require(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
  }

  @Test("An unusable token cache is reported with its path and the remedy before anyone signs in", arguments: faults)
  func fault(_ fault: Fault) async throws {
    guard !fault.needsRoot || geteuid() == 0 else { return }
    let cache = try await filled()
    try fault.make(path, folder.path)
    let failure = await signInFailure { try cache.signIns() }
    #expect(failure?.kind == fault.kind, "\(String(describing: failure))")
    #expect(failure?.text.contains(fault.text) == true, "\(String(describing: failure))")
    #expect(failure?.text.contains(folder.path) == true)
    let provider = FakeProvider()
    let prompted = await signInFailure { try await provider.signIn(cache).withDeviceCode { _ in true } }
    #expect(prompted == failure, "nobody is asked to sign in for nothing")
    #expect(provider.forms("device").isEmpty)
  }

  @Test("A locked token cache is reported after a limited wait, and reading it needs no lock") func heldLock()
    async throws
  {
    _ = try await filled()
    let other = open(path + ".lock", O_RDWR)
    defer { close(other) }
    try #require(flock(other, LOCK_EX) == 0)
    let cache = TokenCache(path, patience: .milliseconds(50))
    let provider = FakeProvider()
    let failure = await signInFailure { try await provider.signIn(cache).silently() }
    #expect(failure?.kind == .cacheBusy)
    #expect(failure?.text.contains("holds the lock of the token cache") == true)
    #expect(provider.forms("token").isEmpty)
    #expect(try cache.signIns().count == 1, "reading needs no lock")
  }

  @Test("Leftover files of a killed process do not disturb the token cache") func leftDraft() async throws {
    let cache = try await filled()
    for name in [".new", ".key.new"] { close(open(path + name, O_CREAT | O_WRONLY, 0o600)) }
    _ = try await FakeProvider().signIn(cache).withDeviceCode { _ in true }
    #expect(try cache.signIns().count == 1)
  }

  @Test("A token cache sealed with a key command opens only with the output of that command") func keyCommand()
    async throws
  {
    let words = ["printf", "%s", "the output of a key command, long enough"]
    #expect(try await filled(words).signIns().count == 1)
    #expect(!filesOf(folder: folder.path).contains(path + ".key"))
    let faults: [([String]?, String)] = [
      (nil, "is sealed with a key command. Pass it with --key-command"),
      (["printf", "%s", "another output of a key command, long enough"], "does not open with the output"),
      (["printf", "%s", "short"], "wrote fewer than 32 bytes"), (["false"], "ended with status 1"),
    ]
    for (words, text) in faults {
      let failure = await signInFailure { try TokenCache(path, keyCommand: words).signIns() }
      #expect(failure?.kind == .cache, "\(String(describing: failure))")
      #expect(failure?.text.contains(text) == true, "\(String(describing: failure))")
    }
  }

  @Test("A removed token cache is created anew by the next sign-in") func removed() async throws {
    let cache = try await filled()
    for name in ["", ".key", ".lock"] { unlink(path + name) }
    #expect(try cache.signIns().isEmpty)
    _ = try await FakeProvider().signIn(cache).withDeviceCode { _ in true }
    #expect(try TokenCache(path).signIns().count == 1)
  }

  @Test("A token cache with 100 sign-ins refuses another and says to log out") func full() async throws {
    let (cache, provider) = (TokenCache(path), FakeProvider())
    provider.state.withLock { $0.claims = [:] }
    let locked = try await cache.lock()
    let target = FakeProvider.target()
    let many = (0..<100).map {
      StoredSignIn(target, SignInAccount(names: ["user\($0)"]), refreshToken: "r", time: FakeProvider.start)
    }
    try locked.write(many)
    let more = SignInAccount(names: ["one more"])
    let failure = await signInFailure {
      try locked.write(many + [StoredSignIn(target, more, refreshToken: "r", time: FakeProvider.start)])
    }
    #expect(failure?.text.contains("mambridge-tenant logout") == true)
    #expect(try cache.signIns() == many)
  }

  struct Choice: Sendable {
    let id: String?
    let name: String?
    let found: String?
  }

  static let choices = [
    Choice(id: "A", name: nil, found: "1"), Choice(id: "a", name: "bob", found: "1"),
    Choice(id: nil, name: "Alice", found: "1"), Choice(id: nil, name: "alice.adams", found: "1"),
    Choice(id: nil, name: "A", found: "1"), Choice(id: "unknown", name: "alice", found: "4"),
    Choice(id: "unknown", name: "named", found: "3"), Choice(id: nil, name: "bob", found: "2"),
    Choice(id: nil, name: "nobody knows", found: "4"), Choice(id: nil, name: nil, found: nil),
  ]

  @Test("An account's sign-in is found by id or name, and not guessed if several could match", arguments: choices)
  func choose(_ choice: Choice) {
    let accounts = [
      SignInAccount(objectId: "a", tenantId: "t", names: ["alice", "alice.adams"]),
      SignInAccount(objectId: "b", tenantId: "t", names: ["bob"]), SignInAccount(names: ["named"]), SignInAccount(),
    ]
    let all = accounts.enumerated().map { index, account in
      StoredSignIn(FakeProvider.target(), account, refreshToken: "\(index + 1)", time: FakeProvider.start)
    }
    let wanted = SourceAccount(accountId: choice.id, identity: choice.name)
    #expect(all.choose(wanted)?.refreshToken == choice.found)
    #expect([all[2]].choose(SourceAccount(accountId: nil, identity: nil))?.refreshToken == "3")
  }
}
