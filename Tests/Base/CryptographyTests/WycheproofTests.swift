import Cryptography
import FoundationEssentials
import TestSupport
import Testing

/// The parts of Wycheproof's files that the tests read.
private struct Vectors<Case: Decodable>: Decodable {
  struct Group: Decodable { let tests: [Case] }

  let numberOfTests: Int
  let testGroups: [Group]

  static func load(_ name: String) throws -> [Case] {
    let bytes = try #require(readFile(Checkout.path("Tests/Vectors/\(name)")))
    let vectors = try JSONDecoder().decode(Self.self, from: Data(bytes))
    let cases = vectors.testGroups.flatMap(\.tests)
    #expect(cases.count == vectors.numberOfTests)
    return cases
  }
}

private struct SealCase: Decodable {
  let tcId: Int
  let key, iv, aad, msg, ct, tag: String
  let result: String
}

/// A file about signatures, in which each group has a key.
private struct SignatureVectors: Decodable {
  struct Group: Decodable {
    let publicKey: [String: JSONText]
    let tests: [Case]

    var key: SignatureKey {
      get throws {
        func number(_ name: String) -> [UInt8]? { publicKey[name].map { hex($0.text) } }
        if let modulus = number("modulus"), let exponent = number("publicExponent") {
          return try .rsa(modulus: modulus, exponent: exponent)
        }
        return try .p256(x: #require(number("wx")).coordinate, y: #require(number("wy")).coordinate)
      }
    }
  }

  struct Case: Decodable {
    let tcId: Int
    let msg, sig, result: String
  }

  /// Empty for a value that is not a string.
  struct JSONText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      text = (try? decoder.singleValueContainer().decode(String.self)) ?? ""
    }
  }

  let testGroups: [Group]
}

extension [UInt8] {
  /// Wycheproof writes numbers with a sign.
  fileprivate var coordinate: [UInt8] { [UInt8](repeating: 0, count: Swift.max(0, 32 - count)) + suffix(32) }
}

private struct DerivationCase: Decodable {
  let tcId: Int
  let ikm, salt, info, okm: String
  let size: Int
  let result: String
}

@Suite struct WycheproofTests {
  @Test("AES-GCM agrees with all Wycheproof cases and refuses other key and nonce lengths")
  func gcm() throws {
    for test in try Vectors<SealCase>.load("aes_gcm_test.json") {
      let (key, nonce) = (hex(test.key), hex(test.iv))
      let opened = Result {
        try AESGCM.open(hex(test.ct + test.tag), key: key, nonce: nonce, associatedData: hex(test.aad))
      }
      let sealed = Result { try AESGCM.seal(hex(test.msg), key: key, nonce: nonce, associatedData: hex(test.aad)) }
      guard key.count == AESGCM.keyLength, nonce.count == AESGCM.nonceLength else {
        #expect(reason { _ = try opened.get() } == .wrongLength, "case \(test.tcId)")
        #expect(reason { _ = try sealed.get() } == .wrongLength, "case \(test.tcId)")
        continue
      }
      if test.result == "valid" {
        #expect(try opened.get() == hex(test.msg), "case \(test.tcId)")
        #expect(try sealed.get() == hex(test.ct + test.tag), "case \(test.tcId)")
      } else {
        #expect(reason { _ = try opened.get() } == .authenticationFailed, "case \(test.tcId)")
        #expect(try sealed.get() != hex(test.ct + test.tag), "case \(test.tcId)")
      }
    }
  }

  @Test("HKDF agrees with all Wycheproof cases")
  func hkdf() throws {
    for test in try Vectors<DerivationCase>.load("hkdf_sha256_test.json") {
      let derived = Result {
        try HKDF.derive(salt: hex(test.salt), secret: hex(test.ikm), info: hex(test.info), count: test.size).published
      }
      if test.result == "valid" {
        #expect(try derived.get() == hex(test.okm), "case \(test.tcId)")
      } else {
        #expect(reason { _ = try derived.get() } == .wrongLength, "case \(test.tcId)")
      }
    }
  }

  @Test(
    "Signature verification agrees with all Wycheproof cases",
    arguments: [
      ("rsa_signature_2048_sha256_test.json", .rs256), ("rsa_pss_2048_sha256_mgf1_32_test.json", .ps256),
      ("ecdsa_secp256r1_sha256_p1363_test.json", .es256),
    ] as [(String, SignatureAlgorithm)])
  func signatures(_ file: String, _ algorithm: SignatureAlgorithm) throws {
    let bytes = try #require(readFile(Checkout.path("Tests/Vectors/\(file)")))
    for group in try JSONDecoder().decode(SignatureVectors.self, from: Data(bytes)).testGroups {
      let key = try group.key
      for test in group.tests {
        // OpenSSL accepts none of those that Wycheproof leaves open.
        let wanted: CryptographyError.Reason? = test.result == "valid" ? nil : .authenticationFailed
        #expect(reason { try key.verify(hex(test.sig), of: hex(test.msg), by: algorithm) } == wanted, "\(test.tcId)")
      }
    }
  }
}
