import Cryptography
import Glibc
import Model
import TestSupport
import Testing

@testable import Vault

/// A folder with encrypted files, and the device that has their keys.
struct FileFixture {
  let device: Device
  let keys: FileKeys
  let folder = TemporaryFolder()

  init() throws {
    device = try Device()
    keys = FileKeys(store: try device.keys())
  }

  var path: String { folder.file("document") }

  func create(_ owner: DataOwner = .alice, isShared: Bool = false, at path: String? = nil) throws -> EncryptedFile {
    let file = try DiskFile(path: path ?? self.path, flags: O_RDWR | O_CREAT, mode: 0o600)
    let key = try keys.newest(for: owner, isShared: isShared)
    return try EncryptedFile.create(on: file, owner: owner, key: key ?? .random(epoch: 1))
  }

  /// Nil for a file that is not encrypted.
  func open(_ path: String? = nil, isSalvaging: Bool = false) throws -> EncryptedFile? {
    let file = try DiskFile(path: path ?? self.path, flags: O_RDWR)
    return try EncryptedFile.open(file, isSalvaging: isSalvaging) { header throws(MAMError) in try keys.key(of: header)
    }
  }

  /// A new file with this content.
  func write(_ bytes: [UInt8]) throws {
    var file = try create()
    try file.write(bytes)
  }

  /// The whole plain text, opened anew.
  func content(_ path: String? = nil) throws -> [UInt8]? {
    var file = try open(path)
    return try file?.read()
  }

  /// Of a file, as it lies on the disk.
  func disk() -> [UInt8] { readFile(path) ?? [] }

  static func bytes(at path: String) throws -> [UInt8] { try #require(readFile(path)) }

  func change(_ body: (inout [UInt8]) -> Void) {
    var bytes = disk()
    body(&bytes)
    TestSupport.write(bytes, to: path)
  }
}

extension EncryptedFile {
  mutating func write(_ bytes: [UInt8], at offset: UInt64 = 0) throws(MAMError) {
    try refresh()
    try bytes.withRawBytes { bytes throws(MAMError) in try write(bytes, at: offset) }
  }

  mutating func read(_ count: Int? = nil, at offset: UInt64 = 0) throws(MAMError) -> [UInt8] {
    try refresh()
    var bytes = [UInt8](repeating: 0xEE, count: count ?? Int(length - min(length, offset)))
    let done = try bytes.withRawMutableBytes { target throws(MAMError) in try read(into: target, at: offset) }
    return Array(bytes[..<done])
  }
}

extension EncryptedFile {
  /// As if it had come so far.
  mutating func replaceRecord(_ change: (inout FileRecord) -> Void) throws {
    change(&record)
    sealedRecord = try cipher.seal(record)
    try sealedRecord.withRawBytes { try file.write($0, at: FileLayout.recordOffset) }
  }
}

extension Walk {
  mutating func step(_ file: inout EncryptedFile) throws {
    let step = next()
    let expected = apply(step)
    switch step {
    case .read(let count, let offset):
      let found = try file.read(count, at: UInt64(offset))
      #expect(found == expected, "seed \(seed), \(count) bytes at \(offset)")
    case .write(let bytes, let offset): try file.write(bytes, at: UInt64(offset))
    case .truncate(let length):
      try file.refresh()
      try file.truncate(to: UInt64(length))
    }
  }
}
