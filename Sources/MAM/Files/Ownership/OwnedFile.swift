import CGlibc
import Glibc
import Model

/// A file with an owner, as it was met.
package struct OwnedFile: Sendable {
  package let path: String
  package let owner: DataOwner
  package let place: FileOwnerPlace

  package var isEncrypted: Bool { place == .header }
}

/// Which file a row of the store speaks of, for as long as it lives: a number that was given anew is another file.
struct FileIdentity: Hashable, Sendable {
  let inode: InodeID
  /// Nanoseconds; 0 where the file system does not tell.
  let born: Int64

  init(of file: DiskFile) throws(MAMError) {
    self.init(inode: InodeID(try file.status()), born: cglibc_birth_time(file.descriptor))
  }

  init(inode: InodeID, born: Int64) {
    self.inode = inode
    self.born = born
  }
}
