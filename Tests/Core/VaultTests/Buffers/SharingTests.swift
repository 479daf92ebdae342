import Dispatch
import Support
import TestSupport
import Testing

@testable import Vault

@Suite struct SharingTests {
  let device: Device

  init() throws {
    device = try Device()
  }

  @Test("Two apps that share a key folder can read each other's buffers", arguments: [true, false])
  func processes(encrypting: Bool) throws {
    let one = try device.protection()
    let other = try device.protection("com.example.other")
    #expect(
      try other.unprotect(one.protect([1, 2], for: .alice, encrypting: encrypting)) == [1, 2])
    #expect(try one.unprotect(other.protect([3], for: .alice, encrypting: encrypting)) == [3])
    #expect(try one.unprotect(other.protect([4], for: .bob, encrypting: encrypting)) == [4])
  }

  @Test("An account id has the same key in upper and lower case")
  func letterCase() throws {
    var shouting = DataOwner.alice
    shouting.accountId = shouting.accountId?.uppercased()
    let buffer = try device.protection().protect([1], for: shouting, encrypting: true)
    #expect(try device.protection().unprotect(buffer) == [1])
    _ = try device.protection().protect([1], for: .alice, encrypting: true)
    #expect(try device.identityFiles().count == 1)
  }

  @Test("An encrypted buffer cannot be read by an app that does not manage its owner")
  func unmanaged() throws {
    let protection = try device.protection()
    let buffer = try protection.protect([1], for: .alice, encrypting: true)
    let error = failure { _ = try protection.unprotect(buffer) { $0.accountId == DataOwner.bob.accountId } }
    #expect(error?.code == .failedToDecryptData)
    #expect(try protection.unprotect(buffer) { $0 == .alice } == [1])
  }

  @Test("A buffer cannot be read on another device", arguments: [true, false])
  func otherDevice(encrypting: Bool) throws {
    let buffer = try device.protection().protect([1], for: .alice, encrypting: encrypting)
    let other = try Device().protection()
    _ = try other.protect([1], for: .alice, encrypting: encrypting)
    #expect(code { _ = try other.unprotect(buffer) } == .failedToDecryptData)
  }

  @Test("Trying to read a buffer creates no keys")
  func readOnly() throws {
    let buffer = try device.protection().protect([1], for: .alice, encrypting: true)
    let other = try Device()
    #expect(code { _ = try other.protection().unprotect(buffer) } == .failedToDecryptData)
    #expect(try other.identityFiles() == [])
  }

  @Test("Sixteen threads that start at once create one root secret, store key and account key")
  func creationRace() throws {
    let buffers = Lock<[[UInt8]]>([])
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      guard let buffer = try? device.protection().protect([1], for: .alice, encrypting: true) else { return }
      buffers.withLock { $0.append(buffer) }
    }
    let made = buffers.withLock { $0 }
    #expect(made.count == 16)
    #expect(try device.identityFiles().count == 1)
    let reader = try device.protection()
    for buffer in made { #expect(try reader.unprotect(buffer) == [1]) }
  }

  @Test("Many threads can use the keys of one process at the same time")
  func threads() throws {
    let protection = try device.protection()
    let failures = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 64) { index in
      let bytes = [UInt8](repeating: UInt8(index), count: index + 1)
      let owner: DataOwner = index.isMultiple(of: 2) ? .alice : .bob
      let buffer = try? protection.protect(bytes, for: owner, encrypting: !index.isMultiple(of: 3))
      if buffer.flatMap({ try? protection.unprotect($0) }) != bytes { failures.withLock { $0 += 1 } }
    }
    #expect(failures.withLock { $0 } == 0)
  }
}
