import Cryptography
import Model

/// The first page of a "MAMF" 1 file, without its record. Never changes.
struct FileHeader: Sendable {
  static let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x46, 0x0D, 0x0A, 0x1A]
  /// Version, suite, log2 of the page size, flags.
  private static let form: [UInt8] = [1, 1, 12, 0]
  private static let saltLength = 32
  static let commitmentLength = 32
  /// The length of the part before the commitment.
  static let prefixLength = 64

  let owner: DataOwner
  let epoch: UInt32
  let key: KeyID
  let commitment: [UInt8]
  private let salt: [UInt8]
  private let encodedOwner: [UInt8]

  /// `nil` if the owner's names are too long. `derive` returns the commitment for the prefix and the owner.
  init?(
    owner: DataOwner, key: IdentityKey, derive: (FileHeader) throws(CryptographyError) -> [UInt8]
  ) throws(CryptographyError) {
    guard let encodedOwner = owner.encoded else { return nil }
    let salt = try Random.bytes(Self.saltLength)
    let draft = FileHeader(
      owner: owner, epoch: key.epoch, key: key.id, commitment: [], salt: salt, encodedOwner: encodedOwner)
    self.init(
      owner: owner, epoch: key.epoch, key: key.id, commitment: try derive(draft), salt: salt,
      encodedOwner: encodedOwner)
  }

  /// `nil` if the page is not a complete header. The content of the record does not matter.
  init?(page: UnsafeRawBufferPointer) {
    var reader = BigEndianReader(page)
    guard page.count == FileLayout.pageSize, reader.takes(Self.magic + Self.form),
      let epoch = reader.integer(UInt32.self), let key = KeyID(&reader), let salt = reader.take(Self.saltLength),
      let commitment = reader.take(Self.commitmentLength), let owner = DataOwner(&reader),
      let encodedOwner = owner.encoded
    else { return nil }
    let record = FileLayout.recordRange
    guard page[reader.offset..<record.lowerBound].allSatisfy({ $0 == 0 }),
      page[record.upperBound...].allSatisfy({ $0 == 0 })
    else { return nil }
    self.init(
      owner: owner, epoch: epoch, key: key, commitment: Array(commitment), salt: Array(salt),
      encodedOwner: encodedOwner)
  }

  private init(
    owner: DataOwner, epoch: UInt32, key: KeyID, commitment: [UInt8], salt: [UInt8], encodedOwner: [UInt8]
  ) {
    self.owner = owner
    self.epoch = epoch
    self.key = key
    self.commitment = commitment
    self.salt = salt
    self.encodedOwner = encodedOwner
  }

  /// `nil` for a file that does not begin with the magic.
  static func read(_ file: DiskFile) throws(MAMError) -> FileHeader? {
    var page = [UInt8](repeating: 0, count: FileLayout.pageSize)
    let count = try page.withRawMutableBytes { bytes throws(MAMError) in try file.read(into: bytes, at: 0) }
    guard page[..<count].starts(with: magic) else { return nil }
    guard let header = page.withUnsafeBytes({ FileHeader(page: $0) }) else {
      throw .damagedHeader(file.path, "header")
    }
    return header
  }

  /// The page, with zeros in place of the record.
  var page: [UInt8] {
    let fields = prefix + commitment + encodedOwner
    return fields + [UInt8](repeating: 0, count: FileLayout.pageSize - fields.count)
  }

  /// The input from which, with the identity key, the file's key is derived.
  var derivation: [UInt8] { Array("mamf/v1".utf8) + prefix + encodedOwner }

  private var prefix: [UInt8] {
    var bytes = Self.magic + Self.form
    bytes.append(bigEndian: epoch)
    return bytes + key.bytes + salt
  }
}

/// The part of page 0 that changes. Writing it is the only commit point of a file.
struct FileRecord: Equatable, Sendable {
  static let plainSize = 40
  /// The length of the plain text in bytes.
  var length: UInt64
  /// At least the number of seals made under the file's key.
  var writeCount: UInt64

  init(length: UInt64, writeCount: UInt64) {
    self.length = length
    self.writeCount = writeCount
  }

  /// `nil` for bytes that `bytes` would not produce.
  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = BigEndianReader(bytes)
    guard let length = reader.integer(UInt64.self), let writeCount = reader.integer(UInt64.self),
      length <= FileLayout.maximumLength, bytes[reader.offset...].allSatisfy({ $0 == 0 })
    else { return nil }
    self.init(length: length, writeCount: writeCount)
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: length)
    bytes.append(bigEndian: writeCount)
    return bytes + [UInt8](repeating: 0, count: Self.plainSize - bytes.count)
  }
}

/// The layout of a "MAMF" 1 file: the header, then data pages. Each fills one page of the system's cache.
enum FileLayout {
  static let pageSize = 4096
  /// The plain bytes in a page. The tag also covers 4 zero bytes after them.
  static let dataSize = 4064
  static let sealedSize = 4068
  static let recordOffset = 2048
  static let recordSize = 68
  static let recordRange = recordOffset..<recordOffset + recordSize
  /// The longest plain text whose file size the system can represent.
  static let maximumLength = UInt64(Int.max / pageSize - 1) * UInt64(dataSize)

  /// The number of pages for a plain text of this length.
  static func pageCount(_ length: UInt64) -> UInt64 {
    length / UInt64(dataSize) + (length.isMultiple(of: UInt64(dataSize)) ? 0 : 1)
  }

  /// The offset of a page in the file. The page must be in, or directly after, a plain text of at most `maximumLength`.
  static func offset(ofPage page: UInt64) -> Int { (Int(page) + 1) * pageSize }

  /// The size of a file whose plain text has this length.
  static func fileSize(_ length: UInt64) -> Int { offset(ofPage: pageCount(length)) }

  /// The range of plain bytes in a page, for a plain text of this length.
  static func range(ofPage page: UInt64, length: UInt64) -> Range<UInt64> {
    let start = min(length, page * UInt64(dataSize))
    return start..<min(length, start + UInt64(dataSize))
  }
}
