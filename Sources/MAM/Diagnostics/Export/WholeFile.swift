import CGlibc
import Cryptography
import Glibc
import Model
import Support

/// A file that gets its name when all of it is there, or never: until then it has none, so that a killed process leaves
/// nothing behind. For this user alone. Knows nothing of the store, which may be what is being looked into.
struct WholeFile {
  private let location: FileLocation
  private let file: DiskFile
  /// The name it has meanwhile where the file system cannot do without one.
  private let draft: FileLocation?
  private(set) var size = 0

  init(_ location: FileLocation) throws(MAMError) {
    self.location = location
    if let file = try Self.nameless(in: location) {
      (self.file, draft) = (file, nil)
    } else {
      let draft = location.sibling(try TemporaryName.random().text)
      file = try draft.open(O_WRONLY | O_CREAT | O_EXCL, mode: 0o600, for: location.path)
      self.draft = draft
    }
  }

  /// Nil where the file system has no files without a name.
  private static func nameless(in location: FileLocation) throws(MAMError) -> DiskFile? {
    do throws(MAMError) {
      let flags = O_WRONLY | Int32(CGLIBC_TMPFILE) | O_CLOEXEC
      return try DiskFile(opened: openat(location.folder.descriptor, ".", flags, 0o600), path: location.path)
    } catch {
      guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(error.fault?.number ?? 0) else { throw error }
      return nil
    }
  }

  mutating func append(_ bytes: [UInt8]) throws(MAMError) {
    let size = size
    try bytes.withRawBytes { bytes throws(MAMError) in try file.write(bytes, at: size) }
    self.size += bytes.count
  }

  /// Gives it the name, which nothing may have yet. Commit point.
  func appear() throws(MAMError) {
    try file.sync(dataOnly: false)
    guard CommitPoint.current?.pass() ?? true else { throw .stopped }
    if let draft {
      guard cglibc_rename_new(folder, draft.name, folder, location.name) == 0 else { throw .file(location.path) }
    } else {
      try link(as: location)
    }
    try location.folder.sync(dataOnly: false)
  }

  /// Gives it the name, in place of what has that.
  func replace() throws(MAMError) {
    try file.sync(dataOnly: false)
    let draft = try named()
    guard renameat(folder, draft.name, folder, location.name) == 0 else {
      let number = errno
      try? draft.remove()
      throw .file(location.path, number)
    }
    try location.folder.sync(dataOnly: false)
  }

  /// It, under a name that nobody asks for.
  private func named() throws(MAMError) -> FileLocation {
    if let draft { return draft }
    let draft = location.sibling(try TemporaryName.random().text)
    try link(as: draft)
    return draft
  }

  /// Instead of `appear` and `replace`.
  func abandon() { try? draft?.remove() }

  private func link(as name: FileLocation) throws(MAMError) {
    let path = "/proc/self/fd/\(file.descriptor)"
    guard linkat(AT_FDCWD, path, folder, name.name, AT_SYMLINK_FOLLOW) == 0 else { throw .file(location.path) }
  }

  private var folder: Int32 { location.folder.descriptor }
}

extension WholeFile {
  /// Writes all of it in place of what may be there.
  static func write(_ content: [UInt8], to path: AbsolutePath) throws(MAMError) {
    var file = try WholeFile(FileLocation(path))
    do throws(MAMError) {
      try file.append(content)
      try file.replace()
    } catch {
      file.abandon()
      throw error
    }
  }
}
