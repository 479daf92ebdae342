import TestSupport
import Testing

@testable import Vault

@Suite struct BufferTests {
  let device: Device
  let protection: DataProtection

  init() throws {
    device = try Device()
    protection = try device.protection()
  }

  @Test("Protected data of any size can be read back", arguments: [1, 15, 16, 17, 4096, 1 << 20], [true, false])
  func roundTrip(size: Int, encrypting: Bool) throws {
    var generator = SeededGenerator(state: UInt64(size))
    let bytes = generator.bytes(size)
    let buffer = try protection.protect(bytes, for: .alice, encrypting: encrypting)
    #expect(try protection.unprotect(buffer) == bytes)
    #expect(try protection.isEncrypted(buffer) == encrypting)
    guard (15...4096).contains(size) else { return }
    #expect(contains(buffer, bytes) == !encrypting)
  }

  @Test(
    "The owner of a buffer can be read without a key",
    arguments: [
      DataOwner.alice, .bob, DataOwner(accountId: nil, tenantId: nil, identity: "Zoë@contoso.example"),
      DataOwner(accountId: "id", tenantId: nil, identity: String(repeating: "x", count: 1016)),
    ], [true, false])
  func owner(owner: DataOwner, encrypting: Bool) throws {
    let buffer = try protection.protect([1], for: owner, encrypting: encrypting)
    #expect(try Device().protection().owner(of: buffer) == owner)
  }

  @Test("A buffer protected for no user is not encrypted, and its owner is no user")
  func noUser() throws {
    let buffer = try protection.protect([1, 2], for: .noUser, encrypting: false)
    #expect(try protection.owner(of: buffer) == .noUser)
    #expect(try protection.unprotect(buffer) { _ in false } == [1, 2])
  }

  @Test("Two buffers of the same data differ in everything but the header")
  func fresh() throws {
    let buffers = try (0..<2).map { _ in
      try protection.protect(Array(repeating: 7, count: 64), for: .alice, encrypting: true)
    }
    #expect(buffers[0].suffix(92) != buffers[1].suffix(92))
    #expect(buffers[0].suffix(80).prefix(64) != buffers[1].suffix(80).prefix(64))
  }

  @Test(
    "Any changed byte makes a buffer unreadable, except that a changed magic makes it plain data",
    arguments: [true, false])
  func tamper(encrypting: Bool) throws {
    let buffer = try protection.protect(Array("twenty bytes of text".utf8), for: .alice, encrypting: encrypting)
    for index in buffer.indices {
      for mask: UInt8 in [0x01, 0x80] {
        var changed = buffer
        changed[index] ^= mask
        if index < 9 {
          #expect(try protection.unprotect(changed) == changed)
        } else {
          #expect(code { _ = try protection.unprotect(changed) } == .failedToDecryptData, "byte \(index)")
        }
      }
    }
    #expect(try protection.unprotect(buffer).count == 20)
  }

  @Test("A buffer that is extended, or truncated behind its magic, is refused", arguments: [true, false])
  func truncate(encrypting: Bool) throws {
    let buffer = try protection.protect(Array("twenty bytes of text".utf8), for: .alice, encrypting: encrypting)
    for length in 1..<buffer.count {
      let cut = Array(buffer[..<length])
      if length < 9 {
        #expect(try protection.unprotect(cut) == cut)
      } else {
        #expect(code { _ = try protection.unprotect(cut) } == .failedToDecryptData, "length \(length)")
      }
    }
    #expect(code { _ = try protection.unprotect(buffer + [0]) } == .failedToDecryptData)
  }

  @Test("Random bytes after the magic are refused, and random bytes without it are plain data")
  func random() throws {
    var generator = SeededGenerator(state: 42)
    let whole = try protection.protect(Array("some text".utf8), for: .alice, encrypting: true)
    for _ in 0..<3000 {
      let start = Int.random(in: 9..<whole.count, using: &generator)
      let input = whole[..<start] + generator.bytes(Int.random(in: 0...200, using: &generator))
      #expect(code { _ = try protection.unprotect(Array(input)) } == .failedToDecryptData)
      let noise = generator.bytes(Int.random(in: 1...200, using: &generator))
      #expect(try protection.unprotect(noise) == noise)
    }
  }

  @Test("A buffer whose owner was replaced by that of another buffer cannot be decrypted")
  func mixed() throws {
    let alice = try protection.protect([1, 2, 3], for: .alice, encrypting: true)
    var renamed = DataOwner.alice
    renamed.identity = "alicf@contoso.example"
    let other = try protection.protect([1, 2, 3], for: renamed, encrypting: true)
    let owner = 14..<14 + 107
    #expect(alice[owner] != other[owner])
    let mixed = alice[..<14] + other[owner] + alice[owner.upperBound...]
    #expect(try protection.owner(of: Array(mixed)) == renamed)
    #expect(code { _ = try protection.unprotect(Array(mixed)) } == .failedToDecryptData)
  }

  @Test("Empty data is refused with emptyData")
  func empty() {
    #expect(code { _ = try protection.protect([], for: .alice, encrypting: true) } == .emptyData)
    #expect(code { _ = try protection.unprotect([]) } == .emptyData)
    #expect(code { _ = try protection.owner(of: [UInt8]()) } == .emptyData)
  }

  @Test("Encrypting for an owner with a name over 1 KiB or for no user fails with invalidArguments")
  func wrongOwner() throws {
    let long = DataOwner(accountId: "id", tenantId: nil, identity: String(repeating: "x", count: 1017))
    let endless = DataOwner(accountId: "id", tenantId: nil, identity: String(repeating: "x", count: 1 << 17))
    for owner in [long, endless, .noUser] {
      #expect(code { _ = try protection.protect([1], for: owner, encrypting: true) } == .invalidArguments)
    }
    #expect(try device.identityFiles() == [])
  }
}

func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
  bytes.indices.contains { bytes[$0...].starts(with: part) }
}
