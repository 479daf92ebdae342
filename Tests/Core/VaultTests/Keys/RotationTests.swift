import Glibc
import Model
import TestSupport
import Testing

@testable import Vault

@Suite struct RotationTests {
  let device: Device
  let alice = DataOwner.alice

  init() throws {
    device = try Device()
  }

  @Test("After rotation, old data stays readable and new data uses the new key, in every process")
  func rotation() throws {
    let keys = try device.keys()
    try keys.addApp(of: alice)
    let (here, there) = (DataProtection(keys: keys), try device.protection())
    let old = try here.protect([1], for: .alice, encrypting: true)
    let others = try there.protect([2], for: .bob, encrypting: true)
    #expect(try there.unprotect(old) == [1])
    #expect(try keys.rotate(alice) == [Device.app])

    let new = try [here, there].map { try $0.protect([3], for: .alice, encrypting: true) }
    for process in [here, there, try device.protection()] {
      #expect(try process.unprotect(old) == [1])
      #expect(try process.unprotect(others) == [2])
      for buffer in new { #expect(try process.unprotect(buffer) == [3]) }
    }
    for file in try device.identityFiles() where file.hasSuffix("/1.key") { unlink(file) }
    let next = try device.protection()
    #expect(code { _ = try next.unprotect(old) } == .failedToDecryptData)
    for buffer in new { #expect(try next.unprotect(buffer) == [3]) }
  }

  @Test("Rotation renews the keys of every app that has the account, but not of other accounts")
  func scopes() throws {
    let other = "com.example.other"
    try device.state(other).create()
    let (keys, others) = (try device.keys(), try device.keys(other))
    for keys in [keys, others] { try keys.addApp(of: alice) }
    let names = try [KeyName.Scope.shared, .app(Device.app), .app(other)].map { try #require(KeyName(alice, $0)) }
    let bob = try #require(KeyName(DataOwner.bob, .shared))
    let before = try names.map { try keys.newestKey($0) }
    let bobs = try keys.newestKey(bob).id
    #expect(try keys.rotate(alice) == [Device.app, other])
    for (name, old) in zip(names, before) {
      let new = try others.newestKey(name)
      #expect(new.epoch == 2)
      #expect(new.id != old.id)
      #expect(new.secret != old.secret)
      #expect(try others.key(old.id, of: name)?.secret == old.secret)
    }
    #expect(try keys.newestKey(bob).id == bobs)
  }

  @Test("Rotation works even if the old key is damaged")
  func damaged() throws {
    let protection = try device.protection()
    let old = try protection.protect([1], for: .alice, encrypting: true)
    write([UInt8](repeating: 7, count: 4096), to: try #require(try device.identityFiles().first))
    let keys = try device.keys()
    #expect(code { _ = try DataProtection(keys: keys).protect([2], for: .alice, encrypting: true) } == .damaged)
    _ = try keys.rotate(alice)
    let next = DataProtection(keys: keys)
    #expect(try next.unprotect(next.protect([2], for: .alice, encrypting: true)) == [2])
    #expect(code { _ = try next.unprotect(old) } == .damaged)
  }

  @Test("Removing an account destroys the keys of all its epochs")
  func destroyed() throws {
    let keys = try device.keys()
    try keys.addApp(of: alice)
    let protection = DataProtection(keys: keys)
    var buffers: [[UInt8]] = []
    for _ in 0..<3 {
      buffers.append(try protection.protect([1], for: .alice, encrypting: true))
      _ = try keys.rotate(alice)
    }
    try keys.destroyAppKeys(of: alice)
    #expect(try keys.removeApp(of: alice))
    for buffer in buffers { #expect(code { _ = try protection.unprotect(buffer) } == .failedToDecryptData) }
    #expect(try device.identityFiles() == [])
  }
}
