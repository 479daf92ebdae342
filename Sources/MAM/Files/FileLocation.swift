import CGlibc
import Glibc
import Model

/// A name in a folder that is held open: no link that is put into the path meanwhile leads elsewhere.
struct FileLocation: Sendable {
  let folder: DiskFile
  let name: String

  var path: String { folder.path == "/" ? "/" + name : folder.path + "/" + name }

  init(_ path: AbsolutePath) throws(MAMError) {
    let slash = path.text.lastIndex(of: "/") ?? path.text.startIndex
    let before = slash == path.text.startIndex ? "/" : String(path.text[..<slash])
    let descriptor = Glibc.open(before, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 || errno != ENOENT else { throw .noFolder(before) }
    let folder = try DiskFile(opened: descriptor, path: before)
    self.init(folder: folder, name: String(path.text[path.text.index(after: slash)...]))
  }

  init(folder: DiskFile, name: String) {
    self.folder = folder
    // The root has no name; this one leads to it from there.
    self.name = name.isEmpty ? "." : name
  }

  /// Another name in the same folder.
  func sibling(_ name: String) -> FileLocation { FileLocation(folder: folder, name: name) }

  /// Of what has the name now, without following a link; nil for nothing.
  func status() throws(MAMError) -> NodeStatus? {
    var status = stat()
    guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      guard errno == ENOENT else { throw .file(path, errno) }
      return nil
    }
    return NodeStatus(status)
  }

  /// Follows no link, and does not wait for the other end of a pipe. `mode` is that of a new file, `other` the path that
  /// its errors name instead.
  func open(_ flags: Int32, mode: mode_t = 0, for other: String? = nil) throws(MAMError) -> DiskFile {
    let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    return try DiskFile(opened: openat(folder.descriptor, name, flags, mode), path: other ?? path)
  }

  /// Leaves the time of the last access as it is, where this user may ask for that.
  func openForReading() throws(MAMError) -> DiskFile {
    do throws(MAMError) {
      return try open(O_RDONLY | Int32(CGLIBC_NOATIME))
    } catch {
      guard error.fault?.number == EPERM else { throw error }
      return try open(O_RDONLY)
    }
  }

  func remove() throws(MAMError) {
    guard unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT else { throw .file(path, errno) }
  }
}

extension DiskFile {
  /// Takes over what `open` has just returned; below 0 it has failed, and `errno` says why.
  convenience init(opened descriptor: Int32, path: String) throws(MAMError) {
    guard descriptor >= 0 else { throw .file(path, errno) }
    self.init(descriptor: descriptor, path: path)
  }
}
