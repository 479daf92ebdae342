import Cryptography
import Glibc
import Model
import Support
import TestSupport
import Testing

@testable import Vault

@Suite struct IdentityKeyTests {
  let device: Device
  let alice = DataOwner.alice
  let bob = DataOwner.bob

  init() throws {
    device = try Device()
  }

  private func name(_ owner: DataOwner, _ scope: KeyName.Scope) throws -> KeyName {
    try #require(KeyName(owner, scope))
  }

  @Test("Each account and scope has its own key, in a file whose name does not reveal the account")
  func scopes() throws {
    let keys = try device.keys()
    let names = [
      try name(alice, .shared), try name(alice, .app("a")), try name(alice, .app("b")), try name(bob, .shared), .device,
    ]
    let secrets = try names.map { try keys.newestKey($0).secret }
    for (index, secret) in secrets.enumerated() {
      #expect(!secrets[..<index].contains(secret))
      #expect(try device.keys().newestKey(names[index]).secret == secret)
    }
    let files = try device.identityFiles()
    #expect(files.count == names.count)
    for file in files {
      #expect(file.hasSuffix("/1.key"))
      #expect(readFile(file)?.count == 4096)
      #expect(!contains(Array(file.utf8), Array("alice".utf8)))
    }
  }

  @Test("An account has the same key whether its user principal name is known or not")
  func account() throws {
    let known = try name(DataOwner(accountId: alice.accountId?.uppercased(), tenantId: nil, identity: nil), .shared)
    #expect(try device.keys().newestKey(known).id == device.keys().newestKey(name(alice, .shared)).id)
    let unknown = try name(DataOwner(accountId: nil, tenantId: nil, identity: "Alice@Contoso.example"), .shared)
    let lower = try name(DataOwner(accountId: nil, tenantId: nil, identity: "alice@contoso.example"), .shared)
    #expect(unknown == lower)
    #expect(KeyName(.noUser, .shared) == nil)
  }

  @Test("Only the file of the root secret contains a key in plain form")
  func wrapped() throws {
    let keys = try device.keys()
    let secrets = try [name(alice, .shared), .device].map { try keys.newestKey($0).secret }
    let root = try #require(readFile(device.rootFile))
    for file in try device.identityFiles() + [device.storeFile] {
      let bytes = try #require(readFile(file))
      #expect(!contains(bytes, root))
      for secret in secrets { #expect(!secret.withUnsafeBytes { contains(bytes, Array($0)) }) }
    }
  }

  @Test("A damaged key affects only the data of its account", arguments: [0, 11, 15, 16, 40, 70, 90, 120, 124, 4095])
  func damaged(index: Int) throws {
    let protection = try device.protection()
    let buffer = try protection.protect([1], for: .alice, encrypting: true)
    let file = try #require(try device.identityFiles().first)
    var page = try #require(readFile(file))
    page[index] ^= 1
    write(page, to: file)
    let next = try device.protection()
    #expect(code { _ = try next.unprotect(buffer) } == .damaged)
    #expect(failure { _ = try next.protect([1], for: .alice, encrypting: true) }?.path == file)
    #expect(try next.unprotect(next.protect([2], for: .bob, encrypting: true)) == [2])
  }

  @Test("A key file of another account or store is reported as damaged")
  func foreign() throws {
    let keys = try device.keys()
    _ = try keys.newestKey(name(alice, .shared))
    let file = try #require(try device.identityFiles().first)
    let page = try #require(readFile(file))
    _ = try keys.newestKey(name(bob, .shared))
    for other in try device.identityFiles() where other != file { write(page, to: other) }
    #expect(code { _ = try device.keys().newestKey(name(bob, .shared)) } == .damaged)
    let second = try Device()
    _ = try second.keys().newestKey(name(alice, .shared))
    write(page, to: try #require(try second.identityFiles().first))
    #expect(code { _ = try second.keys().newestKey(name(alice, .shared)) } == .damaged)
  }

  @Test("A key that was read while keys changed is not kept in memory")
  func changedMeanwhile() throws {
    let shared = try name(alice, .shared)
    let id = try device.keys().newestKey(shared).id
    let home = WatchedHome(folder: device.state())
    let keys = KeyStore(home, epoch: try EpochPage(path: home.folder.epochPage))
    try keys.unlock()
    for look: () throws -> KeyID? in [{ try keys.newestKey(shared).id }, { try keys.key(id, of: shared)?.id }] {
      home.next.withLock { $0 = { _ = try? keys.rotate(.bob) } }
      #expect(try look() == id)
      #expect(home.next.withLock { $0 == nil })
      #expect(keys.newestKeyInMemory(shared) == nil)
      #expect(keys.keyInMemory(id, of: shared) == nil)
    }
    #expect(try keys.newestKey(shared).id == id)
    #expect(keys.newestKeyInMemory(shared)?.id == id)
  }

  @Test("If a key is lost, its data is unreadable, and new data gets a new key")
  func lost() throws {
    let buffer = try device.protection().protect([1], for: .alice, encrypting: true)
    for file in try device.identityFiles() { unlink(file) }
    let next = try device.protection()
    #expect(code { _ = try next.unprotect(buffer) } == .failedToDecryptData)
    #expect(try next.unprotect(next.protect([2], for: .alice, encrypting: true)) == [2])
    #expect(code { _ = try next.unprotect(buffer) } == .failedToDecryptData)
  }

  @Test("A key file that others can read is refused with a chmod command")
  func permissions() throws {
    _ = try device.protection().protect([1], for: .alice, encrypting: true)
    let file = try #require(try device.identityFiles().first)
    chmod(file, 0o640)
    let error = failure { _ = try device.protection().protect([1], for: .alice, encrypting: true) }
    #expect(error?.code == .wrongPermissions)
    #expect(error?.hint == "chmod 600 '\(file)'")
    #expect(error?.path == file)
  }

  @Test("New data is protected by the key of the highest epoch; older data needs its own key")
  func epochs() throws {
    let keys = try device.keys()
    let old = try DataProtection(keys: keys).protect([1], for: .alice, encrypting: true)
    let file = try #require(try device.identityFiles().first)
    let folder = String(file.dropLast("/1.key".count))
    let name = try #require(Hex.decode(String(folder.suffix(64))))
    let store = try StoreKeyFile(home: device.state(), source: .keyFile).open()
    for stray in ["+9.key", "09.key", "9.key.old", "key"] { write([1], to: folder + "/" + stray) }
    write(try IdentityKey.random(epoch: 7).page(folder: name, under: store.secret), to: folder + "/7.key")
    let next = try device.protection()
    let new = try next.protect([2], for: .alice, encrypting: true)
    unlink(file)
    #expect(try next.unprotect(new) == [2])
    #expect(code { _ = try device.protection().unprotect(old) } == .failedToDecryptData)
    #expect(try device.protection().unprotect(new) == [2])
  }
}

/// Does something once, when the key folder is looked for.
private struct WatchedHome: KeyHome {
  let folder: DeviceFolder
  let next = Lock<(@Sendable () -> Void)?>(nil)

  var appId: String { folder.appId }
  var keys: String {
    let body = next.withLock { next in
      defer { next = nil }
      return next
    }
    body?()
    return folder.keys
  }

  func create() throws(MAMError) { try folder.create() }
  func hasApp(_ appId: String) -> Bool { folder.hasApp(appId) }
}
