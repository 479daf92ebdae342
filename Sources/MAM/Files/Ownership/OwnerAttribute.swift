import Glibc
import Model
import Support

/// The owner as a file that is not encrypted carries it: an extended attribute with the bytes that a header has.
enum OwnerAttribute {
  static let name = "user.mam.owner"

  enum Reading: Equatable {
    case owner(DataOwner)
    case none
    /// The file system has no such attributes.
    case unsupported
  }

  static func read(_ file: DiskFile) throws(MAMError) -> Reading {
    do throws(SystemError) {
      let attributes = ExtendedAttributes(descriptor: file.descriptor)
      if let bytes = try attributes.value(name) { return DataOwner(bytes: bytes).map(Reading.owner) ?? .none }
      return errno == EOPNOTSUPP ? .unsupported : .none
    } catch {
      throw .file(file.path, error.number)
    }
  }

  /// False where the file system has no such attributes.
  static func write(_ owner: DataOwner, to file: DiskFile) throws(MAMError) -> Bool {
    guard let bytes = owner.encoded else { throw .ownerTooLong }
    do throws(SystemError) {
      try ExtendedAttributes(descriptor: file.descriptor).set(name, bytes)
      return true
    } catch {
      if error.number == EOPNOTSUPP { return false }
      throw .file(file.path, error.number)
    }
  }

  static func remove(from file: DiskFile) throws(MAMError) {
    do throws(SystemError) {
      try ExtendedAttributes(descriptor: file.descriptor).remove(name)
    } catch {
      throw .file(file.path, error.number)
    }
  }
}

extension DataOwner {
  /// Nil for anything that `encoded` does not write.
  init?(bytes: [UInt8]) {
    let owner = bytes.withUnsafeBytes { bytes -> DataOwner? in
      var reader = BigEndianReader(bytes)
      let owner = DataOwner(&reader)
      return reader.isAtEnd ? owner : nil
    }
    guard let owner else { return nil }
    self = owner
  }
}

extension MAMError {
  static let ownerTooLong = MAMError(
    .invalidArguments, "the names of the account are longer than 1 KiB together")
}
