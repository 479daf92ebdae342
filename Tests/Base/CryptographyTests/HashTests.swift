import Cryptography
import Support
import Testing

/// A case of RFC 4231, section 4.
struct HMACCase: CustomTestStringConvertible, Sendable {
  let name: String
  let key, message: [UInt8]
  let code: String
  var testDescription: String { name }

  static let published = [
    HMACCase(
      name: "1", key: [UInt8](repeating: 0x0B, count: 20), message: Array("Hi There".utf8),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    HMACCase(
      name: "2", key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    HMACCase(
      name: "3", key: [UInt8](repeating: 0xAA, count: 20), message: [UInt8](repeating: 0xDD, count: 50),
      code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    HMACCase(
      name: "4", key: [UInt8](1...25), message: [UInt8](repeating: 0xCD, count: 50),
      code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    HMACCase(
      name: "6", key: [UInt8](repeating: 0xAA, count: 131),
      message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    HMACCase(
      name: "7", key: [UInt8](repeating: 0xAA, count: 131),
      message: Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. "
          + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
      code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    // Not in the RFC: no key and no message.
    HMACCase(
      name: "empty", key: [], message: [], code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
  ]
}

@Suite struct HashTests {
  @Test("HMAC-SHA256 reproduces the published codes, repeatedly with one key", arguments: HMACCase.published)
  func hmac(_ test: HMACCase) throws {
    let hmac = try HMACSHA256(key: test.key)
    for _ in 1...3 { #expect(try hmac.authenticate(test.message) == hex(test.code)) }
    #expect(try HMACSHA256.authenticate(test.message, key: test.key) == hex(test.code))
  }

  @Test("An HMAC of a message in parts equals the HMAC of the whole message")
  func parts() throws {
    let test = HMACCase.published[5]
    let hmac = try HMACSHA256(key: test.key)
    try test.message.withUnsafeBytes { message in
      try hmac.update(UnsafeRawBufferPointer(rebasing: message[..<70]))
      try hmac.update(UnsafeRawBufferPointer(rebasing: message[70...]))
    }
    #expect(try hmac.authenticate([] as [UInt8]) == hex(test.code))
  }

  @Test(
    "SHA-256 reproduces the published digests",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
    ])
  func sha256(_ message: String, _ digest: String) throws {
    #expect(try SHA256.digest(Array(message.utf8)) == hex(digest))
  }
}
