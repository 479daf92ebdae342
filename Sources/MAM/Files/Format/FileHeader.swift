import Cryptography

/// The first page of a file "MAMF" 1, without its record. Never changes.
struct FileHeader: Sendable {
  static let magic: [UInt8] = [0x89, 0x4D, 0x41, 0x4D, 0x46, 0x0D, 0x0A, 0x1A]
  /// Version, suite, log2 of the page size, flags.
  private static let form: [UInt8] = [1, 1, 12, 0]
  private static let saltLength = 32
  static let commitmentLength = 32
  /// What stands before the commitment.
  static let prefixLength = 64

  let owner: DataOwner
  let epoch: UInt32
  let key: KeyID
  let commitment: [UInt8]
  private let salt: [UInt8]
  private let encodedOwner: [UInt8]

  /// Nil when the names of the owner are too long. `derive` gives the commitment for what stands before and the owner.
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

  /// Nil when the page is not a whole header; what its record holds does not matter.
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

  /// The page, with zeros for its record.
  var page: [UInt8] {
    let fields = prefix + commitment + encodedOwner
    return fields + [UInt8](repeating: 0, count: FileLayout.pageSize - fields.count)
  }

  /// What the file's key is derived from, beside the identity key.
  var derivation: [UInt8] { Array("mamf/v1".utf8) + prefix + encodedOwner }

  private var prefix: [UInt8] {
    var bytes = Self.magic + Self.form
    bytes.append(bigEndian: epoch)
    return bytes + key.bytes + salt
  }
}
