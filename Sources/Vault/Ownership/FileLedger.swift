import CGlibc
import Glibc
import Model

/// What must be remembered of files outside of them, kept by whoever has a store. A change is durable when its call
/// returns.
package protocol FileLedger: AnyObject, Sendable {
  /// To be called before anything else is changed that must be remembered. Throws where nothing can be.
  func checkWritable() throws(MAMError)

  /// In the order of their paths.
  func ownedFiles() throws(MAMError) -> [OwnedFileEntry]
  /// By whatever name.
  func ownedFile(_ inode: InodeID) throws(MAMError) -> OwnedFileEntry?
  /// Takes the place of what was known of the file. Another one that was met by the same name stays known: it may have
  /// been renamed.
  func remember(_ file: OwnedFileEntry) throws(MAMError)
  func forgetOwnedFile(_ inode: InodeID) throws(MAMError)

  func temporaryFiles() throws(MAMError) -> [TemporaryFileEntry]
  func remember(_ file: TemporaryFileEntry) throws(MAMError)
  func forgetTemporaryFile(_ id: Int64) throws(MAMError)
}

/// A file with an owner, as it is remembered.
package struct OwnedFileEntry: Equatable, Sendable {
  package var path: String
  package var identity: FileIdentity
  package var owner: DataOwner
  /// Whether the file itself says whose it is; the entry then only helps to find it.
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

/// A temporary file that may have to be removed, in the folder of its target.
package struct TemporaryFileEntry: Sendable {
  package var id: Int64
  package var folder: String
  /// The name of the file that it is to become.
  package var target: String

  package init(id: Int64, folder: String, target: String) {
    self.id = id
    self.folder = folder
    self.target = target
  }
}

/// A file with an owner, as it was met.
package struct OwnedFile: Sendable {
  package let path: String
  package let owner: DataOwner
  package let place: FileOwnerPlace

  package var isEncrypted: Bool { place == .header }
}

/// Which file an entry speaks of, for as long as it lives: a number that was given anew is another file.
package struct FileIdentity: Hashable, Sendable {
  package let inode: InodeID
  /// Nanoseconds; 0 where the file system does not tell.
  package let born: Int64

  init(of file: DiskFile) throws(MAMError) {
    self.init(inode: InodeID(try file.status()), born: cglibc_birth_time(file.descriptor))
  }

  package init(inode: InodeID, born: Int64) {
    self.inode = inode
    self.born = born
  }
}
