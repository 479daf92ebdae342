import Cryptography
import Glibc
import Support
import TestSupport
import Testing

@testable import Vault

@Suite struct ChangeSecretTests {
  enum Kind: CaseIterable { case standard, elsewhere, passphrase, command }

  let device: Device
  let folder = TemporaryFolder()

  init() throws {
    device = try Device()
  }

  private func source(_ kind: Kind, _ variant: String) throws -> RootSecretSource {
    switch kind {
    case .standard: .keyFile
    case .elsewhere: .keyFile(at: folder.file(variant))
    case .passphrase: try .quickPassphrase("passphrase \(variant)")
    case .command: .command(["printf", "%040d\(variant)", "0"])
    }
  }

  private func opens(_ source: RootSecretSource) -> Bool {
    (try? device.keys(secret: source).newestKey(.device)) != nil
  }

  @Test(
    "After changeSecret, only the new secret opens the store; open stores and data remain usable",
    arguments: Kind.allCases, Kind.allCases)
  func change(from: Kind, to: Kind) throws {
    let (old, new) = (try source(from, "a"), try source(to, "b"))
    let running = try device.keys(secret: old)
    let protection = DataProtection(keys: running)
    let buffer = try protection.protect([1, 2], for: .alice, encrypting: true)
    _ = try running.newestKey(.device)
    let (files, id) = (try device.identityFiles(), try running.storeID)
    let pages = files.map { readFile($0) }
    let formerRoot = readFile(device.rootFile)

    try device.keys(secret: old).changeSecret(to: new)
    #expect(opens(new))
    #expect(opens(old) == (from == .standard && to == .standard))
    #expect(try device.identityFiles() == files)
    #expect(files.map { readFile($0) } == pages)
    #expect(try device.keys(secret: new).storeID == id)
    #expect(try protection.unprotect(buffer) == [1, 2])
    #expect(try protection.unprotect(protection.protect([3], for: .bob, encrypting: true)) == [3])
    #expect(try DataProtection(keys: device.keys(secret: new)).unprotect(buffer) == [1, 2])
    #expect((access(device.rootFile, F_OK) == 0) == (to == .standard))
    if let formerRoot { #expect(readFile(device.rootFile) != formerRoot) }
  }

  @Test("changeSecret replaces a key file in its own place, and keeps a former key file elsewhere")
  func ownPlace() throws {
    let path = folder.file("my.key")
    let keys = try device.keys(secret: .keyFile(at: path))
    _ = try keys.newestKey(.device)
    let former = readFile(path)
    try keys.changeSecret(to: .keyFile(at: path))
    #expect(opens(.keyFile(at: path)))
    #expect(readFile(path) != former)
    let second = readFile(path)
    try device.keys(secret: .keyFile(at: path)).changeSecret(to: .keyFile)
    #expect(opens(.keyFile))
    #expect(readFile(path) == second)
    let standard = RootSecretSource.keyFile(at: device.state().keys + "/../keys/root.key")
    try device.keys().changeSecret(to: standard)
    #expect(opens(.keyFile))
    #expect(opens(standard))
  }

  @Test("The header of the store can be read while the secret is changed again and again")
  func concurrent() async throws {
    let (state, id) = (device.state(), try device.keys().storeID)
    let keys = try device.keys()
    let isDone = Lock(false)
    let reader = Task.detached {
      while !isDone.withLock({ $0 }) {
        let header = try KeyStore.header(in: state)
        #expect(header?.storeID == id)
      }
    }
    for _ in 0..<20 { try keys.changeSecret(to: .keyFile) }
    isDone.withLock { $0 = true }
    try await reader.value
  }

  @Test("changeSecret with the wrong secret changes nothing")
  func wrong() throws {
    _ = try device.keys().newestKey(.device)
    let page = readFile(device.storeFile)
    let wrong = RootSecretSource.passphrase(try SecretBytes("x"))
    #expect(code { try device.keys(secret: wrong).changeSecret(to: .keyFile) } == .wrongSecret)
    #expect(code { try device.keys().changeSecret(to: .command(["false"])) } == .noSecret)
    #expect(readFile(device.storeFile) == page)
    #expect(opens(.keyFile))
  }

  @Test("changeSecret without a store fails and creates nothing")
  func noStore() throws {
    #expect(code { try device.keys().changeSecret(to: .keyFile) } == .noSecret)
    #expect(access(device.storeFile, F_OK) != 0)
    #expect(access(device.rootFile, F_OK) != 0)
  }

  /// What lies in the key folder when the process is killed at that step of a change from one key file to another.
  enum Step: CaseIterable { case nextMade, storeKeyHalfMade, storeKeyMade, formerOverwritten, formerGone, done }

  @Test(
    "After changeSecret is killed at any step, the store opens and its secret can be changed", arguments: Step.allCases)
  func killed(step: Step) throws {
    let keys = try device.keys()
    let buffer = try DataProtection(keys: keys).protect([1], for: .alice, encrypting: true)
    let (page, root) = (readFile(device.storeFile), readFile(device.rootFile))
    try keys.changeSecret(to: .keyFile)
    let (newPage, newRoot) = (readFile(device.storeFile), readFile(device.rootFile))
    let isCommitted = step != .nextMade && step != .storeKeyHalfMade
    write(try #require(isCommitted ? newPage : page), to: device.storeFile)
    if step == .storeKeyHalfMade { write([1, 2, 3], to: device.storeFile + ".new") }
    switch step {
    case .formerOverwritten: write([UInt8](repeating: 0, count: 32), to: device.rootFile)
    case .formerGone: unlink(device.rootFile)
    case .done: write(try #require(newRoot), to: device.rootFile)
    default: write(try #require(root), to: device.rootFile)
    }
    if step != .done { write(try #require(newRoot), to: device.rootFile + ".next") }

    for _ in 0..<2 {
      #expect(try device.protection().unprotect(buffer) == [1])
      #expect(readFile(device.rootFile) == (isCommitted ? newRoot : root))
    }
    try device.keys().changeSecret(to: .keyFile)
    #expect(try device.protection().unprotect(buffer) == [1])
    #expect(access(device.rootFile + ".next", F_OK) != 0)
  }

  @Test("changeSecret overwrites the former root secret and store key in place")
  func overwritten() throws {
    let keys = try device.keys()
    _ = try keys.newestKey(.device)
    let paths: [String] = [device.rootFile, device.storeFile]
    let descriptors = paths.map { Glibc.open($0, O_RDONLY) }
    defer { for descriptor in descriptors { close(descriptor) } }
    try keys.changeSecret(to: .keyFile)
    for descriptor in descriptors {
      var bytes = [UInt8](repeating: 1, count: 4096)
      let count = pread(descriptor, &bytes, bytes.count, 0)
      #expect(count > 0)
      #expect(bytes.prefix(count).allSatisfy { $0 == 0 })
    }
  }
}
