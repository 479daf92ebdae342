import CGlibc
import Glibc

/// A file without a name until it is complete, if the system supports that, so that a killed process leaves nothing
/// behind. For this user only until `setMode`. Removed when released, unless it got its name.
package final class NewFile {
  /// The descriptor of the folder, which the caller owns.
  private let folder: Int32
  /// The temporary name, for systems that need one.
  private var draft: String
  private let descriptor: Int32
  private var hasDraft: Bool
  private var isSynced = false

  /// `draft` must be a name that nothing else in the folder has.
  package init(in folder: Int32, draft: String) throws(SystemError) {
    let nameless = Self.openNameless(in: folder)
    // The errors of file systems and kernels that do not support files without a name.
    hasDraft = nameless < 0 && [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(errno)
    descriptor =
      hasDraft ? openat(folder, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) : nameless
    self.folder = folder
    self.draft = draft
    guard descriptor >= 0 else {
      hasDraft = false
      throw .current
    }
  }

  /// Fails with EOPNOTSUPP if the file could not get a name later, because /proc is not mounted.
  private static func openNameless(in folder: Int32) -> Int32 {
    let descriptor = openat(folder, ".", O_WRONLY | Int32(CGLIBC_TMPFILE) | O_CLOEXEC, 0o600)
    guard descriptor >= 0, access(place(of: descriptor), F_OK) != 0 else { return descriptor }
    close(descriptor)
    errno = EOPNOTSUPP
    return -1
  }

  private static func place(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    if hasDraft { unlinkat(folder, draft, 0) }
  }

  package func append(_ bytes: [UInt8]) throws(SystemError) {
    isSynced = false
    try WholeBytes.write(bytes, to: descriptor)
  }

  package func setMode(_ mode: mode_t) throws(SystemError) {
    try check(fchmod(descriptor, mode))
  }

  /// Gives it the owner and the mode of another file. EPERM if only an administrator may.
  package func dress(like model: stat) throws(SystemError) {
    var own = stat()
    try check(fstat(descriptor, &own))
    if (own.st_uid, own.st_gid) != (model.st_uid, model.st_gid) {
      try check(fchown(descriptor, model.st_uid, model.st_gid))
    }
    try setMode(model.st_mode & 0o7777)
  }

  package var inode: UInt64 {
    get throws(SystemError) {
      guard let status = FileStatus(descriptor) else { throw .current }
      return status.inode
    }
  }

  package func sync() throws(SystemError) {
    try check(fsync(descriptor))
    isSynced = true
  }

  /// Publishes the file as `name`; EEXIST if the name is taken. Durable when this returns.
  package func appear(as name: String) throws(SystemError) {
    try syncContent()
    try check(hasDraft ? cglibc_rename_new(folder, draft, folder, name) : link(as: name))
    hasDraft = false
    try syncFolder()
  }

  /// Publishes the file as `name`, replacing any existing file. Durable when this returns.
  package func replace(_ name: String) throws(SystemError) {
    try syncContent()
    if !hasDraft {
      try check(link(as: draft))
      hasDraft = true
    }
    try check(renameat(folder, draft, folder, name))
    hasDraft = false
    try syncFolder()
  }

  /// Puts the file in the place of the one that is called `name`, which is then called `draft`. Returns false if there is
  /// none. EINVAL, ENOSYS or EOPNOTSUPP if the file system cannot do that in one step.
  package func exchange(_ name: String, leaving draft: String) throws(SystemError) -> Bool {
    try syncContent()
    try check(hasDraft ? cglibc_rename_new(folder, self.draft, folder, draft) : link(as: draft))
    (self.draft, hasDraft) = (draft, true)
    guard cglibc_rename_exchange(folder, draft, folder, name) == 0 else {
      guard errno == ENOENT else { throw .current }
      return false
    }
    hasDraft = false
    return true
  }

  /// A power failure must not leave the name with a part of the content.
  private func syncContent() throws(SystemError) {
    if !isSynced { try sync() }
  }

  /// Some file systems cannot sync folders.
  private func syncFolder() throws(SystemError) {
    guard fsync(folder) == 0 || errno == EINVAL else { throw .current }
  }

  private func link(as name: String) -> Int32 {
    linkat(AT_FDCWD, Self.place(of: descriptor), folder, name, AT_SYMLINK_FOLLOW)
  }

  private func check(_ result: Int32) throws(SystemError) {
    guard result == 0 else { throw .current }
  }
}
