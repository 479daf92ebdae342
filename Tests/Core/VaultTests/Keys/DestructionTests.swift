import Glibc
import Model
import TestSupport
import Testing

@testable import Vault

@Suite struct DestructionTests {
  private static let other = "com.example.other"
  let device: Device
  let alice = DataOwner.alice

  init() throws {
    device = try Device()
  }

  private func enroll(_ app: String = Device.app) throws -> KeyStore {
    try device.state(app).create()
    let keys = try device.keys(app)
    try keys.addApp(of: alice)
    return keys
  }

  @Test("Once the last app removes an account, no process can read its data; other data stays readable")
  func lastApp() throws {
    let keys = try enroll()
    let (here, there) = (DataProtection(keys: keys), try device.protection())
    let mine = try here.protect([1], for: .alice, encrypting: true)
    let bobs = try here.protect([2], for: .bob, encrypting: true)
    #expect(try there.unprotect(mine) == [1])
    #expect(try there.unprotect(bobs) == [2])
    try keys.destroyAppKeys(of: alice)
    #expect(try keys.removeApp(of: alice))
    here.forgetKeys()
    for process in [here, there, try device.protection()] {
      #expect(code { _ = try process.unprotect(mine) } == .failedToDecryptData)
      #expect(try process.unprotect(bobs) == [2])
    }
  }

  @Test("Removing an account from one app destroys that app's keys; shared keys stay for other apps")
  func otherApp() throws {
    let keys = try enroll()
    let others = try enroll(Self.other)
    let buffer = try DataProtection(keys: keys).protect([1], for: .alice, encrypting: true)
    let mine = try #require(KeyName(alice, .app(Device.app)))
    let theirs = try #require(KeyName(alice, .app(Self.other)))
    let before = (try keys.newestKey(mine).id, try others.newestKey(theirs).id)
    try keys.destroyAppKeys(of: alice)
    #expect(try !keys.removeApp(of: alice))
    #expect(try keys.key(before.0, of: mine) == nil)
    #expect(try others.key(before.1, of: theirs) != nil)
    #expect(try DataProtection(keys: others).unprotect(buffer) == [1])
    #expect(try others.removeApp(of: alice))
    #expect(code { _ = try DataProtection(keys: others).unprotect(buffer) } == .failedToDecryptData)
  }

  @Test("Once destroyAppKeys returns, no process has the app's key in memory")
  func inMemory() throws {
    let (here, there) = (try enroll(), try device.keys())
    let name = try #require(KeyName(alice, .app(Device.app)))
    let id = try here.newestKey(name).id
    for process in [here, there] {
      #expect(try process.key(id, of: name) != nil)
      #expect(process.keyInMemory(id, of: name)?.id == id)
    }
    try here.destroyAppKeys(of: alice)
    for process in [here, there] {
      #expect(process.keyInMemory(id, of: name) == nil)
      #expect(try process.key(id, of: name) == nil)
    }
  }

  @Test("A key in memory is found only under its own account and scope")
  func names() throws {
    let keys = try enroll()
    let name = try #require(KeyName(alice, .app(Device.app)))
    let id = try keys.newestKey(name).id
    _ = try keys.key(id, of: name)
    #expect(keys.keyInMemory(id, of: name)?.id == id)
    let others = [KeyName(.bob, .app(Device.app)), KeyName(alice, .shared), KeyName(alice, .app(Self.other))]
    for other in others { #expect(keys.keyInMemory(id, of: try #require(other)) == nil) }
  }

  @Test("An app whose state folder is missing does not keep an account's shared keys")
  func goneApp() throws {
    let keys = try enroll()
    _ = try enroll(Self.other)
    #expect(rmdir(device.state(Self.other).app) == 0)
    #expect(try keys.removeApp(of: alice))
  }

  @Test("Removing an account from an app can be repeated")
  func again() throws {
    let keys = try enroll()
    for _ in 0..<2 {
      try keys.destroyAppKeys(of: alice)
      #expect(try keys.removeApp(of: alice))
    }
    let bob = DataOwner.bob
    try keys.destroyAppKeys(of: bob)
    #expect(try keys.removeApp(of: bob))
  }

  @Test("A destroyed key is overwritten before its file is deleted")
  func overwritten() throws {
    let keys = try enroll()
    _ = try DataProtection(keys: keys).protect([1], for: .alice, encrypting: true)
    let file = try #require(try device.identityFiles().first)
    let descriptor = open(file, O_RDONLY)
    defer { close(descriptor) }
    #expect(try keys.removeApp(of: alice))
    #expect(access(file, F_OK) != 0)
    var page = [UInt8](repeating: 1, count: 4096)
    #expect(pread(descriptor, &page, page.count, 0) == 4096)
    #expect(page.allSatisfy { $0 == 0 })
  }

  @Test("An account that is added again gets new keys, which do not open the old data")
  func comeBack() throws {
    let keys = try enroll()
    let protection = DataProtection(keys: keys)
    let old = try protection.protect([1], for: .alice, encrypting: true)
    try keys.removeApp(of: alice)
    try keys.addApp(of: alice)
    let new = try protection.protect([2], for: .alice, encrypting: true)
    #expect(try protection.unprotect(new) == [2])
    #expect(code { _ = try protection.unprotect(old) } == .failedToDecryptData)
  }
}
