import CGlibc
import Glibc
import Model

/// Remembers facts about files outside the files themselves; implemented by whoever has a store. A change is durable
/// when its call returns.
package protocol FileLedger: AnyObject, Sendable {
  /// Must be called before anything else changes that has to be remembered. Throws if nothing can be remembered.
  func checkWritable() throws(MAMError)

  /// In path order.
  func ownedFiles() throws(MAMError) -> [OwnedFileEntry]
  /// By inode, whatever the file's name.
  func ownedFile(_ inode: InodeID) throws(MAMError) -> OwnedFileEntry?
  /// Replaces what was known of the file. Another file that last had the same name stays known, because it may have
  /// been renamed.
  func remember(_ file: OwnedFileEntry) throws(MAMError)
  func forgetOwnedFile(_ inode: InodeID) throws(MAMError)

  func temporaryFiles() throws(MAMError) -> [TemporaryFileEntry]
  func remember(_ file: TemporaryFileEntry) throws(MAMError)
  func forgetTemporaryFile(_ id: Int64) throws(MAMError)
}

/// A remembered file with an owner.
package struct OwnedFileEntry: Equatable, Sendable {
  package var path: String
  package var identity: FileIdentity
  package var owner: DataOwner
  /// Whether the file itself names its owner. If so, the entry only helps to find the file.
  package var isMarked: Bool
  package var isEncrypted: Bool

  package init(path: String, identity: FileIdentity, owner: DataOwner, isMarked: Bool, isEncrypted: Bool = false) {
    self.path = path
    self.identity = identity
    self.owner = owner
    self.isMarked = isMarked
    self.isEncrypted = isEncrypted
  }
}

/// A temporary file, in the folder of its target, that may have to be removed.
package struct TemporaryFileEntry: Sendable {
  package var id: Int64
  package var folder: String
  /// The name that the file will get.
  package var target: String

  package init(id: Int64, folder: String, target: String) {
    self.id = id
    self.folder = folder
    self.target = target
  }
}

/// A file with an owner, as it was found.
package struct OwnedFile: Sendable {
  package let path: String
  package let owner: DataOwner
  package let place: FileOwnerPlace

  package var isEncrypted: Bool { place == .header }
}

/// Identifies a file for its lifetime. If the inode number is used again, that is another file.
package struct FileIdentity: Hashable, Sendable {
  package let inode: InodeID
  /// Nanoseconds; 0 if the file system does not report it.
  package let born: Int64

  init(of file: DiskFile) throws(MAMError) {
    self.init(inode: InodeID(try file.status()), born: cglibc_birth_time(file.descriptor))
  }

  package init(inode: InodeID, born: Int64) {
    self.inode = inode
    self.born = born
  }
}
