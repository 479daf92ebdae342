import Cryptography
import Glibc
import TestSupport
import Testing

@testable import Vault

/// The formats must not drift: data that is protected today is read by every later version.
@Suite struct GoldenTests {
  private static let owner = DataOwner(
    accountId: "0f3d2c1b-1111-4222-8333-444455556666", tenantId: "7a6b5c4d-aaaa-4bbb-8ccc-ddddeeeeffff",
    identity: "Zoë@contoso.example")
  private let payload = Array("golden bytes".utf8)
  let device: Device

  init() throws {
    device = try Device()
    write(Golden.root, to: device.rootFile)
    put(Golden.storePage, "store.key")
    put(Golden.shared1, Golden.sharedFolder, "1.key")
    put(Golden.shared2, Golden.sharedFolder, "2.key")
    put(Golden.device, Golden.deviceFolder, "1.key")
  }

  private func put(_ page: [UInt8], _ names: String...) {
    var path = device.state().keys
    for name in names {
      mkdir(path, 0o700)
      path += "/" + name
    }
    write(page + [UInt8](repeating: 0, count: 4096 - page.count), to: path)
  }

  @Test("Keys and buffers written by an independent implementation can be opened")
  func open() throws {
    let protection = try device.protection()
    #expect(try device.keys().storeID == Golden.uuid)
    #expect(try protection.unprotect(Golden.encrypted) { $0 == Self.owner } == payload)
    #expect(try protection.unprotect(Golden.clear) { _ in false } == payload)
    #expect(try protection.owner(of: Golden.clear) == .noUser)
    #expect(code { _ = try Device().protection().unprotect(Golden.encrypted) } == .failedToDecryptData)
  }

  @Test("A store sealed with a passphrase by an independent implementation can be opened")
  func passphrase() throws {
    unlink(device.rootFile)
    put(Golden.passphrasePage, "store.key")
    let keys = try device.keys(secret: .passphrase(try SecretBytes("correct horse")))
    #expect(try DataProtection(keys: keys).unprotect(Golden.encrypted) == payload)
  }

  @Test("The same key, salt and nonce always produce the same bytes")
  func seal() throws {
    #expect(try seal(Golden.sharedKey1, Golden.sharedId1, Self.owner, true) == Golden.encrypted)
    #expect(try seal(Golden.deviceKey, Golden.deviceId, .noUser, false) == Golden.clear)
  }

  private func seal(_ key: [UInt8], _ id: [UInt8], _ owner: DataOwner, _ isEncrypted: Bool) throws -> [UInt8] {
    let name = (id + Golden.salt).withUnsafeBytes { bytes in
      var reader = BigEndianReader(bytes)
      return SubkeyName(&reader)
    }
    let subkeyName = try #require(name)
    let secret = try key.withRawBytes { bytes throws(CryptographyError) in try SecretBytes(copying: bytes) }
    let subkey = try BufferSubkey(subkeyName, of: IdentityKey(id: subkeyName.key, epoch: 1, secret: secret))
    let encoded = try #require(owner.encoded)
    let keyName = try #require(KeyName(owner, isEncrypted: isEncrypted, in: .shared))
    var sealer = BufferSealer(subkey, owner: owner, encoded: encoded, keyName)
    return try sealer.seal(payload) { $0.copyBytes(from: Golden.nonce) }
  }
}
