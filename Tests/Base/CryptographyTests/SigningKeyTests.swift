import Cryptography
import TestCertificates
import Testing

@Suite struct SigningKeyTests {
  private static let algorithms: [(SigningKey.Algorithm, SignatureAlgorithm)] = [(.rs256, .rs256), (.ps256, .ps256)]

  @Test("An RSA signature verifies only with the algorithm that made it", arguments: [2048, 3072] as [Int32])
  func signatures(_ bits: Int32) throws {
    let pair = try TestKey(.rsa(bits: bits))
    let key = try SigningKey(pem: Array(pair.text.utf8))
    let numbers = try pair.publicNumbers()
    let verifier = try SignatureKey.rsa(
      modulus: try #require(numbers["n"]), exponent: try #require(numbers["e"]))
    for message in [[], Array("a message".utf8), [UInt8](repeating: 7, count: 100_000)] {
      for (algorithm, same) in Self.algorithms {
        let signature = try key.sign(message, algorithm)
        #expect(signature.count == Int(bits) / 8)
        try verifier.verify(signature, of: message, by: same)
        for (_, other) in Self.algorithms where other != same {
          #expect(reason { try verifier.verify(signature, of: message, by: other) } == .authenticationFailed)
        }
      }
    }
  }

  @Test("A generated signing key has 2048 bits, is new each time, and signs for its public numbers")
  func made() throws {
    let (key, other) = (try SigningKey.made(), try SigningKey.made())
    let numbers = try key.publicNumbers()
    #expect(numbers.modulus.count == 256 && numbers.exponent == [1, 0, 1])
    let verifier = try SignatureKey.rsa(modulus: numbers.modulus, exponent: numbers.exponent)
    try verifier.verify(key.sign(Array("a message".utf8), .rs256), of: Array("a message".utf8), by: .rs256)
    #expect(try other.publicNumbers().modulus != numbers.modulus)
  }

  @Test("RS256 signatures of a message are equal, and PS256 signatures differ each time")
  func salt() throws {
    let key = try SigningKey(pem: Array(try TestKey(.rsa(bits: 2048)).text.utf8))
    let message = Array("a message".utf8)
    #expect(try key.sign(message, .rs256) == key.sign(message, .rs256))
    #expect(try key.sign(message, .ps256) != key.sign(message, .ps256))
  }

  @Test("The first key in a PEM text is read, and belongs only to its own certificate")
  func certificate() throws {
    let (pair, other) = (try TestKey(.rsa(bits: 2048)), try TestKey(.rsa(bits: 2048)))
    let shape = TestCertificate.Shape(validity: 0...4_000_000_000)
    let certificate = try TestCertificate("program", shape, key: pair, issuer: nil)
    let text = Array(("a comment\n" + certificate.text + pair.text + other.text).utf8)
    let (key, read) = (try SigningKey(pem: text), try Certificate(pem: text))
    #expect(key.belongs(to: read))
    #expect(try !SigningKey(pem: Array(other.text.utf8)).belongs(to: read))
    #expect(try read.thumbprint() == SHA256.digest(certificate.der))
  }

  struct Text: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let reason: CryptographyError.Reason
  }

  private static func texts() throws -> [Text] {
    let pair = try TestKey(.rsa(bits: 2048))
    let shape = TestCertificate.Shape(validity: 0...4_000_000_000)
    return [
      Text(testDescription: "P-256", text: try TestKey(.p256).text, reason: .invalidParameters),
      Text(testDescription: "Ed25519", text: try TestKey(.ed25519).text, reason: .invalidParameters),
      Text(testDescription: "1024 bits", text: try TestKey(.rsa(bits: 1024)).text, reason: .wrongLength),
      Text(testDescription: "encrypted", text: pair.text(passphrase: "secret"), reason: .library),
      Text(
        testDescription: "a certificate alone", text: try TestCertificate("a", shape, key: pair, issuer: nil).text,
        reason: .library),
      Text(testDescription: "cut", text: String(pair.text.prefix(200)), reason: .library),
      Text(testDescription: "empty", text: "", reason: .library),
    ]
  }

  @Test("A signing key that is not RSA, too short, encrypted or damaged is refused without a prompt")
  func refused() throws {
    for row in try Self.texts() {
      #expect(reason { _ = try SigningKey(pem: Array(row.text.utf8)) } == row.reason, "\(row.testDescription)")
    }
    #expect(reason { _ = try Certificate(pem: Array("-----BEGIN CERTIFICATE-----".utf8)) } == .library)
  }
}
