import Cryptography
import Testing

/// A case of RFC 5869, appendix A.
struct HKDFCase: CustomTestStringConvertible, Sendable {
  let name: String
  let secret, salt, info: [UInt8]
  let pseudorandomKey, output: String
  var testDescription: String { name }

  static let published = [
    HKDFCase(
      name: "1", secret: [UInt8](repeating: 0x0B, count: 22), salt: [UInt8](0...12), info: [UInt8](0xF0...0xF9),
      pseudorandomKey: "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
      output: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"),
    HKDFCase(
      name: "2", secret: [UInt8](0...0x4F), salt: [UInt8](0x60...0xAF), info: [UInt8](0xB0...0xFF),
      pseudorandomKey: "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
      output: """
        b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c\
        59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71\
        cc30c58179ec3e87c14c01d5c1f3434f1d87
        """),
    HKDFCase(
      name: "3", secret: [UInt8](repeating: 0x0B, count: 22), salt: [], info: [],
      pseudorandomKey: "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
      output: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"),
  ]
}

/// A case of RFC 7914, section 12; the last one there needs more memory than is allowed.
struct ScryptCase: CustomTestStringConvertible, Sendable {
  let passphrase, salt: String
  let parameters: Scrypt.Parameters
  let output: String
  var testDescription: String { passphrase }

  static let published = [
    ScryptCase(
      passphrase: "", salt: "", parameters: .init(cost: 16, blockSize: 1, parallelism: 1),
      output: """
        77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442\
        fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
        """),
    ScryptCase(
      passphrase: "password", salt: "NaCl", parameters: .init(cost: 1024, blockSize: 8, parallelism: 16),
      output: """
        fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162\
        2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
        """),
    ScryptCase(
      passphrase: "pleaseletmein", salt: "SodiumChloride",
      parameters: .init(cost: 16384, blockSize: 8, parallelism: 1),
      output: """
        7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2\
        d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
        """),
  ]
}

@Suite struct DerivationTests {
  @Test("HKDF reproduces the published test cases, in two steps and in one", arguments: HKDFCase.published)
  func hkdf(_ test: HKDFCase) throws {
    let key = try HKDF.extract(salt: test.salt, secret: SecretBytes(test.secret))
    #expect(key.published == hex(test.pseudorandomKey))
    let output = try HKDF.expand(test.info, key: key, count: hex(test.output).count)
    #expect(output.published == hex(test.output))
    let whole = try HKDF.derive(salt: test.salt, secret: test.secret, info: test.info, count: output.count)
    #expect(whole == output)
  }

  @Test("HKDF can expand one key many times, and a shorter output is a prefix of a longer one")
  func keyed() throws {
    let test = HKDFCase.published[1]
    let hmac = try HMACSHA256(key: hex(test.pseudorandomKey))
    for count in [0, 1, 31, 32, 33, 64, 82] {
      var output = [UInt8](repeating: 0, count: count)
      try output.withUnsafeMutableBytes { output in
        try test.info.withUnsafeBytes { info in try HKDF.expand(info, with: hmac, into: output) }
      }
      #expect(output == Array(hex(test.output).prefix(count)))
    }
  }

  @Test("HKDF refuses an output of more than 255 blocks", arguments: [HKDF.maximumLength + 1, -1])
  func tooLong(_ count: Int) {
    #expect(reason { _ = try HKDF.expand([] as [UInt8], key: [1] as [UInt8], count: count) } == .wrongLength)
  }

  @Test("scrypt reproduces the published test cases", arguments: ScryptCase.published)
  func scrypt(_ test: ScryptCase) throws {
    let passphrase = try SecretBytes(Array(test.passphrase.utf8))
    let key = try Scrypt.derive(passphrase, salt: Array(test.salt.utf8), parameters: test.parameters, count: 64)
    #expect(key.published == hex(test.output))
  }

  @Test("The standard scrypt parameters fit into the memory limit")
  func standard() throws {
    let salt = [UInt8](repeating: 1, count: Scrypt.saltLength)
    #expect(try Scrypt.derive([1, 2, 3] as [UInt8], salt: salt, count: 32).count == 32)
  }

  @Test(
    "Invalid scrypt parameters, and those that need too much memory, are refused",
    arguments: [
      Scrypt.Parameters(cost: 1 << 20, blockSize: 8, parallelism: 1), .init(cost: 0, blockSize: 8, parallelism: 1),
      .init(cost: 1000, blockSize: 8, parallelism: 1), .init(cost: 16, blockSize: 0, parallelism: 1),
      .init(cost: 16, blockSize: 8, parallelism: .max), .init(cost: 1 << 63, blockSize: .max, parallelism: 1),
    ])
  func refused(_ parameters: Scrypt.Parameters) {
    let none: [UInt8] = []
    #expect(reason { _ = try Scrypt.derive(none, salt: none, parameters: parameters, count: 32) } == .invalidParameters)
  }
}
