import CGlibc
import Glibc

/// Owners in the extended attribute `user.mam.owner`, with the bytes that a header has.
struct AttributeOwners: FileOwners {
  private static let name = "user.mam.owner"

  func owner(of file: DiskFile) throws(MAMError) -> DataOwner? {
    var bytes = [UInt8](repeating: 0, count: 2 + DataOwner.maximumLength)
    let count = fgetxattr(file.descriptor, Self.name, &bytes, bytes.count)
    guard count >= 0 else {
      guard errno == ENODATA || errno == EOPNOTSUPP else { throw .file(file.path) }
      return nil
    }
    return bytes.withUnsafeBytes { bytes in
      var reader = BigEndianReader(bytes)
      return DataOwner(&reader)
    }
  }

  func setOwner(_ owner: DataOwner?, of file: DiskFile, isEncrypted: Bool) throws(MAMError) {
    guard let bytes = isEncrypted ? nil : owner?.encoded else {
      guard fremovexattr(file.descriptor, Self.name) == 0 || errno == ENODATA || errno == EOPNOTSUPP else {
        throw .file(file.path)
      }
      return
    }
    guard fsetxattr(file.descriptor, Self.name, bytes, bytes.count, 0) == 0 else { throw .file(file.path) }
  }
}
