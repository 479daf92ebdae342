import Cryptography
import Testing

/// A published case of AES-256-GCM with a nonce of 12 bytes.
struct GCMCase: CustomTestStringConvertible, Sendable {
  let name, key, nonce, associatedData, plaintext, ciphertext, tag: String
  var testDescription: String { name }

  private static let key = "feffe9928665731c6d6a8f9467308308 feffe9928665731c6d6a8f9467308308"
  private static let plaintext = """
    d9313225f88406e5a55909c5aff5269a 86a7a9531534f7da2e4c303d8a318a72\
     1c3c0c95956809532fcf0e2449a6b525 b16aedf5aa0de657ba637b39
    """
  private static let ciphertext = """
    522dc1f099567d07f47f37a32a84427d 643a8cdcbfe5c0c97598a2bd2555d1aa\
     8cb08e48590dbb3da7b08b1056828838 c5f61e6393ba7a0abcc9f662
    """

  /// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B.
  static let published = [
    GCMCase(
      name: "13", key: String(repeating: "00", count: 32), nonce: "000000000000000000000000", associatedData: "",
      plaintext: "", ciphertext: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    GCMCase(
      name: "14", key: String(repeating: "00", count: 32), nonce: "000000000000000000000000", associatedData: "",
      plaintext: "00000000000000000000000000000000", ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    GCMCase(
      name: "15", key: key, nonce: "cafebabefacedbaddecaf888", associatedData: "",
      plaintext: plaintext + "1aafd255", ciphertext: ciphertext + "898015ad",
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    GCMCase(
      name: "16", key: key, nonce: "cafebabefacedbaddecaf888",
      associatedData: "feedfacedeadbeeffeedfacedeadbeefabaddad2", plaintext: plaintext, ciphertext: ciphertext,
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]
}

@Suite struct AESGCMTests {
  @Test("AES-GCM reproduces the published test cases in both directions", arguments: GCMCase.published)
  func published(_ test: GCMCase) throws {
    let key = try SecretBytes(hex(test.key))
    let (nonce, associatedData) = (hex(test.nonce), hex(test.associatedData))
    let sealed = try AESGCM.seal(hex(test.plaintext), key: key, nonce: nonce, associatedData: associatedData)
    #expect(sealed == hex(test.ciphertext + test.tag))
    #expect(try AESGCM.open(sealed, key: key, nonce: nonce, associatedData: associatedData) == hex(test.plaintext))
    let secret = try AESGCM.openSecret(sealed[...], key: key, nonce: nonce, associatedData: associatedData)
    #expect(secret.published == hex(test.plaintext))
  }

  @Test("One AES-GCM context can alternate between sealing and opening, new keys and failures")
  func reuse() throws {
    let context = try AESGCM.Context(key: SecretBytes(hex(GCMCase.published[0].key)))
    for _ in 1...3 {
      for test in GCMCase.published {
        try context.setKey(hex(test.key))
        let (nonce, associatedData) = (hex(test.nonce), hex(test.associatedData))
        let sealed = try context.seal(hex(test.plaintext), nonce: nonce, associatedData: associatedData)
        #expect(sealed == hex(test.ciphertext + test.tag))
        #expect(
          reason { _ = try context.open(sealed, nonce: nonce, associatedData: [1] as [UInt8]) } == .authenticationFailed
        )
        #expect(try context.open(sealed, nonce: nonce, associatedData: associatedData) == hex(test.plaintext))
      }
    }
  }

  @Test("AES-GCM refuses data if any bit of key, nonce, associated data, ciphertext or tag has changed")
  func tamper() throws {
    let key = [UInt8](0..<32)
    let nonce = [UInt8](1...12)
    let associatedData = [UInt8](50..<70)
    let sealed = try AESGCM.seal([UInt8](100..<140), key: key, nonce: nonce, associatedData: associatedData)
    for part in 0..<4 {
      let original = [key, nonce, associatedData, sealed][part]
      for bit in 0..<original.count * 8 {
        var parts = [key, nonce, associatedData, sealed]
        parts[part][bit / 8] ^= 1 << (bit % 8)
        let outcome = reason {
          _ = try AESGCM.open(parts[3], key: parts[0], nonce: parts[1], associatedData: parts[2])
        }
        #expect(outcome == .authenticationFailed, "part \(part), bit \(bit)")
      }
    }
  }

  @Test("AES-GCM refuses truncated data of any length", arguments: 0..<56)
  func truncated(_ count: Int) throws {
    let key = [UInt8](0..<32)
    let nonce = [UInt8](1...12)
    let sealed = try AESGCM.seal([UInt8](100..<140), key: key, nonce: nonce, associatedData: [] as [UInt8])
    let outcome = reason {
      _ = try AESGCM.open(sealed[..<count], key: key, nonce: nonce, associatedData: [] as [UInt8])
    }
    #expect(outcome == .authenticationFailed)
  }

  @Test("AES-GCM seals and opens in place, and clears the output if the data is refused")
  func inPlace() throws {
    let context = try AESGCM.Context(key: [UInt8](repeating: 7, count: 32))
    let nonce = [UInt8](1...12)
    var data = [UInt8](0..<100)
    var tag = [UInt8](repeating: 0, count: 16)
    try data.withUnsafeMutableBytes { data in
      try nonce.withUnsafeBytes { nonce in
        try tag.withUnsafeMutableBytes { tag in
          let (bytes, none) = (UnsafeRawBufferPointer(data), UnsafeRawBufferPointer(start: nil, count: 0))
          try context.seal(bytes, nonce: nonce, associatedData: none, into: data, tag: tag)
          #expect(Array(data) != [UInt8](0..<100))
          try context.open(bytes, tag: UnsafeRawBufferPointer(tag), nonce: nonce, associatedData: none, into: data)
          #expect(Array(data) == [UInt8](0..<100))
          let wrong = reason {
            try context.open(bytes, tag: UnsafeRawBufferPointer(tag), nonce: nonce, associatedData: nonce, into: data)
          }
          #expect(wrong == .authenticationFailed)
          #expect(data.allSatisfy { $0 == 0 })
        }
      }
    }
  }

  @Test("AES-GCM refuses keys, nonces and buffers of the wrong length", arguments: [0, 16, 31, 33])
  func lengths(_ count: Int) throws {
    let bytes = [UInt8](repeating: 0, count: count)
    let key = [UInt8](repeating: 0, count: 32)
    #expect(reason { _ = try AESGCM.Context(key: bytes) } == .wrongLength)
    #expect(reason { _ = try AESGCM.seal(bytes, key: key, nonce: bytes, associatedData: bytes) } == .wrongLength)
    let context = try AESGCM.Context(key: key)
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    let target = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    #expect(
      reason { try context.seal(none, nonce: none, associatedData: none, into: target, tag: target) } == .wrongLength)
    #expect(
      reason { try context.open(none, tag: none, nonce: none, associatedData: none, into: target) } == .wrongLength)
  }

  @Test("A cryptography error names the operation and no data")
  func errorText() throws {
    let error = #expect(throws: CryptographyError.self) {
      try AESGCM.open(
        [UInt8](repeating: 65, count: 20), key: [UInt8](repeating: 66, count: 32),
        nonce: [UInt8](repeating: 67, count: 12), associatedData: [] as [UInt8])
    }
    #expect(error.map { "\($0)" } == "AESGCM.open: authenticationFailed")
  }
}
