import Glibc
import Model

extension DiskFile {
  /// Whether the file is a new one; without `exclusive` that is found out by trying.
  static func openOrCreate(_ path: String, _ access: FileAccess, _ mode: mode_t) throws(MAMError) -> (
    DiskFile, isNew: Bool
  ) {
    while true {
      do throws(MAMError) {
        if !access.isExclusive { return (try DiskFile(path: path, flags: access.descriptorFlags), false) }
      } catch {
        guard access.creates, error.fault?.number == ENOENT else { throw error }
      }
      do throws(MAMError) {
        return (try DiskFile(path: path, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode), true)
      } catch {
        guard !access.isExclusive, error.fault?.number == EEXIST else { throw error }
      }
    }
  }

  func isEncrypted() throws(MAMError) -> Bool {
    var bytes: UInt64 = 0
    let count = try withUnsafeMutableBytes(of: &bytes) { target throws(MAMError) in try read(into: target, at: 0) }
    return count == FileHeader.magic.count && withUnsafeBytes(of: bytes) { $0.elementsEqual(FileHeader.magic) }
  }
}
