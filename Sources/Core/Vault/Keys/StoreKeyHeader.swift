import Cryptography
import Support

/// The readable part of `store.key`, 80 bytes: start 11, mode 1, zeros 4, store UUID 16. For a passphrase, scrypt's
/// salt 32, N u64, r u32 and p u32 follow; otherwise zeros.
package struct StoreKeyHeader: Sendable {
  package enum Mode: UInt8 { case keyFile = 0, passphrase = 1, command = 2 }

  static let length = 80
  package let mode: Mode
  let store: [UInt8]
  let salt: [UInt8]
  let scrypt: Scrypt.Parameters

  /// For a new store.
  init(_ source: RootSecretSource) throws(CryptographyError) {
    try self.init(store: UUIDBytes.marked(try Random.bytes(16), version: 4), source)
  }

  /// For the same store under another secret.
  init(_ old: StoreKeyHeader, _ source: RootSecretSource) throws(CryptographyError) {
    try self.init(store: old.store, source)
  }

  private init(store: [UInt8], _ source: RootSecretSource) throws(CryptographyError) {
    mode = source.mode
    self.store = store
    salt = mode == .passphrase ? try Random.bytes(Scrypt.saltLength) : [UInt8](repeating: 0, count: Scrypt.saltLength)
    scrypt = mode == .passphrase ? source.stretching : .none
  }

  /// `nil` if the page is not that of a store key.
  init?(page: [UInt8]) {
    let header = KeyPage.parse(page, .store, headerLength: Self.length) { reader in StoreKeyHeader(&reader) }
    guard let header else { return nil }
    self = header
  }

  private init?(_ reader: inout BigEndianReader) {
    guard let mode = reader.integer(UInt8.self).flatMap(Mode.init(rawValue:)), reader.integer(UInt32.self) == 0,
      let store = reader.take(16), let salt = reader.take(Scrypt.saltLength), let cost = reader.integer(UInt64.self),
      let blockSize = reader.integer(UInt32.self), let parallelism = reader.integer(UInt32.self)
    else { return nil }
    self.mode = mode
    self.store = Array(store)
    self.salt = Array(salt)
    scrypt = Scrypt.Parameters(cost: cost, blockSize: UInt64(blockSize), parallelism: UInt64(parallelism))
    guard mode == .passphrase ? isBearable : scrypt == .none && salt.allSatisfy({ $0 == 0 }) else { return nil }
  }

  /// A manipulated header must not keep the processor busy for hours. `Scrypt` limits the memory.
  private var isBearable: Bool { scrypt.parallelism <= 16 }

  var bytes: [UInt8] {
    var bytes = KeyPage.start(.store) + [mode.rawValue, 0, 0, 0, 0] + store + salt
    bytes.append(bigEndian: scrypt.cost)
    bytes.append(bigEndian: UInt32(truncatingIfNeeded: scrypt.blockSize))
    bytes.append(bigEndian: UInt32(truncatingIfNeeded: scrypt.parallelism))
    return bytes
  }

  /// The store UUID in 8-4-4-4-12 form, in lowercase.
  package var storeID: String {
    let digits = Hex.encode(store)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index == 8 || index == 12 || index == 16 || index == 20 { text.append("-") }
      text.append(digit)
    }
    return text
  }
}

extension Scrypt.Parameters {
  fileprivate static let none = Scrypt.Parameters(cost: 0, blockSize: 0, parallelism: 0)
}
