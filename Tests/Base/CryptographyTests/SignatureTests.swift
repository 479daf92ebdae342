import Cryptography
import TestCertificates
import Testing

/// An example of RFC 7515.
struct SignatureExample: CustomTestStringConvertible, Sendable {
  let section: String
  let algorithm: SignatureAlgorithm
  let token: String
  let numbers: [String]
  var testDescription: String { section }

  var message: [UInt8] { Array(token.prefix(upTo: token.lastIndex(of: ".") ?? token.endIndex).utf8) }
  var signature: [UInt8] { Base64URL.decode(String(token.split(separator: ".").last ?? "")) ?? [] }

  func key() throws -> SignatureKey {
    let numbers = try numbers.map { try #require(Base64URL.decode($0)) }
    return algorithm == .es256
      ? try .p256(x: numbers[0], y: numbers[1]) : try .rsa(modulus: numbers[0], exponent: numbers[1])
  }

  private static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  static let published = [
    SignatureExample(
      section: "A.2", algorithm: .rs256,
      token: "eyJhbGciOiJSUzI1NiJ9.\(payload)."
        + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdb"
        + "F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383"
        + "LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy"
        + "wlVmtVrBp0igcN_IoypGlUPQGe77Rw",
      numbers: [
        "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZ"
          + "S-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTB"
          + "EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91"
          + "kzk2PAcDTW9gb54h4FRWyuXpoQ", "AQAB",
      ]),
    SignatureExample(
      section: "A.3", algorithm: .es256,
      token: "eyJhbGciOiJFUzI1NiJ9.\(payload)."
        + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
      numbers: ["f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"]),
  ]
}

@Suite struct SignatureTests {
  @Test(
    "The examples of RFC 7515 verify, and changed signatures or messages do not", arguments: SignatureExample.published)
  func published(_ example: SignatureExample) throws {
    let (key, message, signature) = (try example.key(), example.message, example.signature)
    try key.verify(signature, of: message, by: example.algorithm)
    let changed = signature.dropLast() + [(signature.last ?? 0) ^ 1]
    let others: [[UInt8]] = [Array(changed), [], Array(signature.dropLast()), signature + [0], [0] + signature]
    for wrong in others {
      #expect(reason { try key.verify(wrong, of: message, by: example.algorithm) } == .authenticationFailed)
    }
    #expect(reason { try key.verify(signature, of: message + [0], by: example.algorithm) } == .authenticationFailed)
    #expect(reason { try key.verify(signature, of: [] as [UInt8], by: example.algorithm) } == .authenticationFailed)
  }

  @Test("A signature key verifies only the algorithms of its kind")
  func kinds() throws {
    for example in SignatureExample.published {
      for other in SignatureAlgorithm.allCases where other != example.algorithm {
        let wanted: CryptographyError.Reason =
          other.kind == example.algorithm.kind ? .authenticationFailed : .invalidParameters
        #expect(reason { try example.key().verify(example.signature, of: example.message, by: other) } == wanted)
      }
    }
  }

  @Test(
    "A signature verifies with the public numbers of its key and not with those of another",
    arguments: SignatureAlgorithm.allCases)
  func roundTrip(_ algorithm: SignatureAlgorithm) throws {
    let key = try TestKey(algorithm == .es256 ? .p256 : .rsa(bits: 2048))
    let other = try TestKey(algorithm == .es256 ? .p256 : .rsa(bits: 2048))
    for message in [[], Array("a message".utf8), [UInt8](repeating: 7, count: 100_000)] {
      let signature = try key.signature(of: message, by: algorithm)
      try publicKey(key).verify(signature, of: message, by: algorithm)
      #expect(reason { try publicKey(other).verify(signature, of: message, by: algorithm) } == .authenticationFailed)
    }
    #expect(try publicKey(key) == publicKey(key))
    #expect(try publicKey(key) != publicKey(other))
  }

  @Test("PS256 signatures need a 32-byte salt, and RS256 and PS256 need SHA-256")
  func strictness() throws {
    let (key, message) = (try TestKey(.rsa(bits: 2048)), Array("a message".utf8))
    for saltLength in [0, 20, 64] as [Int32] {
      let signature = try key.signature(of: message, by: .ps256, saltLength: saltLength)
      #expect(reason { try publicKey(key).verify(signature, of: message, by: .ps256) } == .authenticationFailed)
    }
    for algorithm in [.rs256, .ps256] as [SignatureAlgorithm] {
      let signature = try key.signature(of: message, by: algorithm, digest: "SHA512")
      #expect(reason { try publicKey(key).verify(signature, of: message, by: algorithm) } == .authenticationFailed)
    }
  }

  @Test("RSA keys outside the allowed sizes and exponents are refused")
  func rsaBounds() throws {
    let (three, odd) = ([3] as [UInt8], { (count: Int) in [0xC0] + [UInt8](repeating: 0xFF, count: count - 1) })
    #expect(reason { _ = try SignatureKey.rsa(modulus: odd(256), exponent: three) } == nil)
    #expect(reason { _ = try SignatureKey.rsa(modulus: [0, 0] + odd(1024), exponent: [0, 1, 0, 1]) } == nil)
    let wrong: [([UInt8], [UInt8])] = [
      ([], three), (odd(255), three), ([0x7F] + odd(255), three), (odd(1025), three), (odd(255) + [0xFE], three),
      (odd(256), []), (odd(256), [0]), (odd(256), [1]), (odd(256), [2]), (odd(256), [1, 0, 0]),
      (odd(256), [UInt8](repeating: 1, count: 9)),
    ]
    for (modulus, exponent) in wrong {
      #expect(reason { _ = try SignatureKey.rsa(modulus: modulus, exponent: exponent) } == .invalidParameters)
    }
  }

  @Test("A P-256 key must be a point on the curve with coordinates of 32 bytes")
  func points() throws {
    let numbers = try TestKey().publicNumbers()
    let (x, y) = (try #require(numbers["x"]), try #require(numbers["y"]))
    #expect(reason { _ = try SignatureKey.p256(x: x, y: y) } == nil)
    let zero = [UInt8](repeating: 0, count: 32)
    let wrong = [(y, x), (x, zero), (zero, zero), ([0] + x, y), (Array(x.dropLast()), y), ([], []), (x, y + y)]
    for (x, y) in wrong { #expect(reason { _ = try SignatureKey.p256(x: x, y: y) } == .invalidParameters) }
    let beyond = [UInt8](repeating: 0xFF, count: 32)
    #expect(reason { _ = try SignatureKey.p256(x: beyond, y: y) } == .invalidParameters)
  }
}

@Suite struct Base64URLTests {
  @Test(
    "Bytes encode to one base64url text and decode from it",
    arguments: [
      ([], ""), ([0], "AA"), ([0xFF], "_w"), ([0xFB, 0xEF], "--8"), ([1, 2, 3], "AQID"), ([1, 2, 3, 4], "AQIDBA"),
    ] as [([UInt8], String)])
  func texts(_ bytes: [UInt8], _ text: String) {
    #expect(Base64URL.encode(bytes) == text)
    #expect(Base64URL.decode(text) == bytes)
  }

  @Test(
    "Text that is not canonical base64url is refused",
    arguments: ["A", "AAAAA", "AA==", "AAA=", "=", "AB", "AAB", "+w", "/w", "AA AA", "AA\n", "\u{e9}A", "A\0"])
  func refused(_ text: String) {
    #expect(Base64URL.decode(text) == nil)
  }
}

private func publicKey(_ key: TestKey) throws -> SignatureKey {
  let numbers = try key.publicNumbers()
  if let modulus = numbers["n"], let exponent = numbers["e"] { return try .rsa(modulus: modulus, exponent: exponent) }
  return try .p256(x: #require(numbers["x"]), y: #require(numbers["y"]))
}
