import Cryptography
import Glibc
import Model

/// A new content for a file, which gets the file's name when it is complete, or never. Until then the name leads to the
/// old file, also if the process ends. Used by one thread.
package final class FileDraft {
  private let location: FileLocation
  private let files: FileProtection
  private let temporary: TemporaryFile
  private var content: any PlainText
  /// Whether the name was free at the beginning. A file that appears meanwhile belongs to somebody else.
  private let isNew: Bool
  private var length: UInt64 = 0
  private var isCommitted = false

  /// Refuses anything but a regular file with one name that this user may write.
  init(_ location: FileLocation, for owner: NewOwner, _ environment: FileEnvironment) throws(MAMError) {
    self.location = location
    files = environment.files
    isNew = try location.status() == nil
    temporary = try files.temporary.make(for: location)
    content = PlainFile(file: temporary.file)
    content = try environment.begin(temporary.file, for: owner)
  }

  deinit {
    guard !isCommitted else { return }
    if let inode = try? InodeID(temporary.file.status()) { try? files.ownership.forget(inode) }
    files.temporary.abandon(temporary)
  }

  package func append(_ bytes: [UInt8]) throws(MAMError) {
    try bytes.withRawBytes { bytes throws(MAMError) in try content.write(bytes, at: length) }
    length += UInt64(bytes.count)
  }

  /// Replaces an existing file. Its user, mode, ACL and other attributes go to the new file, but not its times. Refuses
  /// a file that is open for writing (5003), or that did not exist at the beginning.
  package func commit() throws(MAMError) {
    try content.release()
    let old = try leaseOld()
    if let old { try FileAttributes(of: old.file, old.status).apply(to: temporary.file, withTimes: false) }
    try temporary.file.sync(dataOnly: false)
    if let old {
      guard try old.isCurrent() else { throw .inUse(location.path) }
      try temporary.replace(location)
    } else {
      try temporary.appear(as: location)
    }
    isCommitted = true
    if let old { try files.ownership.forget(old.status.inode) }
    try location.folder.sync(dataOnly: false)
    try files.temporary.forget(temporary.name)
  }

  /// `nil` if there is no file to replace.
  private func leaseOld() throws(MAMError) -> LeasedFile? {
    guard !isNew, try location.status() != nil else { return nil }
    return try LeasedFile(location)
  }
}
