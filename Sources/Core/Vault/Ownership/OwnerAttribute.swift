import CGlibc
import Glibc
import Model
import Support

/// The owner of a file that is not encrypted: an extended attribute with the same bytes as in a header.
enum OwnerAttribute {
  static let name = "user.mam.owner"

  enum Reading: Equatable {
    case owner(DataOwner)
    case none
    /// The file system has no extended attributes.
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

  /// Returns false if the file system has no extended attributes.
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

/// The extended attributes of an open file, including ACLs.
struct ExtendedAttributes {
  let descriptor: Int32

  /// Throws the system's error number.
  func names() throws(SystemError) -> [String] {
    let bytes = try read { flistxattr(descriptor, $0, $1) }
    return bytes?.split(separator: 0).map { String(decoding: $0, as: UTF8.self) } ?? []
  }

  /// `nil` if there is no attribute of this name, or the file system has none at all.
  func value(_ name: String) throws(SystemError) -> [UInt8]? {
    try read { fgetxattr(descriptor, name, $0, $1) }
  }

  func set(_ name: String, _ value: [UInt8]) throws(SystemError) {
    guard fsetxattr(descriptor, name, value, value.count, 0) == 0 else { throw .current }
  }

  /// Does nothing if there is no such attribute.
  func remove(_ name: String) throws(SystemError) {
    guard fremovexattr(descriptor, name) == 0 || Self.isNone(errno) else { throw .current }
  }

  /// Asks for the size first, and again if the attribute has grown meanwhile.
  private func read(_ body: (UnsafeMutablePointer<CChar>?, Int) -> Int) throws(SystemError) -> [UInt8]? {
    while true {
      let size = body(nil, 0)
      var bytes = [CChar](repeating: 0, count: max(size, 0))
      let count = size > 0 ? bytes.withUnsafeMutableBufferPointer { body($0.baseAddress, $0.count) } : size
      if count >= 0 { return bytes.prefix(count).map { UInt8(bitPattern: $0) } }
      if errno == ERANGE { continue }
      guard Self.isNone(errno) else { throw .current }
      return nil
    }
  }

  private static func isNone(_ number: Int32) -> Bool { number == ENODATA || number == EOPNOTSUPP }
}
