import CGlibc
import Glibc
import Model

/// A name in an open folder. A link that is put into the path later does not change where the name leads.
package struct FileLocation: Sendable {
  package let folder: DiskFile
  package let name: String

  package var path: String { folder.path == "/" ? "/" + name : folder.path + "/" + name }

  package init(_ path: AbsolutePath) throws(MAMError) {
    let slash = path.text.lastIndex(of: "/") ?? path.text.startIndex
    let before = Self.folder(of: path.text)
    let descriptor = Glibc.open(before, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 || errno != ENOENT else { throw .noFolder(before) }
    let folder = try DiskFile(opened: descriptor, path: before)
    self.init(folder: folder, name: String(path.text[path.text.index(after: slash)...]))
  }

  /// The part of an absolute path before its last slash.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  init(folder: DiskFile, name: String) {
    self.folder = folder
    // The root folder has no name; `.` leads to it from there.
    self.name = name.isEmpty ? "." : name
  }

  /// Another name in the same folder.
  func sibling(_ name: String) -> FileLocation { FileLocation(folder: folder, name: name) }

  /// The status of the file or folder that has the name now, without following a link; `nil` if nothing has the name.
  package func status() throws(MAMError) -> NodeStatus? {
    var status = stat()
    guard fstatat(folder.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      guard errno == ENOENT else { throw .file(path, errno) }
      return nil
    }
    return NodeStatus(status)
  }

  var isFolder: Bool {
    get throws(MAMError) { try status()?.kind == .folder }
  }

  /// Follows no link, and does not wait for the other end of a pipe. `mode` is that of a new file. Errors name `other`
  /// if it is given.
  func open(_ flags: Int32, mode: mode_t = 0, for other: String? = nil) throws(MAMError) -> DiskFile {
    let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    return try DiskFile(opened: openat(folder.descriptor, name, flags, mode), path: other ?? path)
  }

  /// Leaves the access time unchanged if the system lets this user do so.
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

/// What the system reports about a file.
package struct NodeStatus: Sendable {
  enum Kind: Sendable { case file, folder, link, other }

  let kind: Kind
  /// Read, write and execute for owner, group and others, and the three special bits.
  let permissions: mode_t
  let user: uid_t
  let group: gid_t
  let size: Int
  let links: Int
  let accessed: timespec
  /// When the content was last changed, to the nanosecond.
  let modified: timespec
  let inode: InodeID

  init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    permissions = status.st_mode & 0o7777
    user = status.st_uid
    group = status.st_gid
    size = Int(status.st_size)
    links = Int(status.st_nlink)
    accessed = status.st_atim
    modified = status.st_mtim
    inode = InodeID(status)
  }

  /// Why the content cannot be replaced.
  struct Obstacle {
    let text: String
    let hint: String
    var isFolder = false
  }

  /// `nil` if the content can be replaced.
  var obstacle: Obstacle? {
    guard kind == .file else {
      return Obstacle(text: "it is \(kind.text)", hint: "Use the path of a regular file", isFolder: kind == .folder)
    }
    guard links > 1 else { return nil }
    return Obstacle(
      text: "it has \(links) names (hard links), and would change under one of them only",
      hint: "Copy the file, and use the copy, which has only one name")
  }
}

extension NodeStatus.Kind {
  /// For error messages.
  var text: String {
    switch self {
    case .file: "a file"
    case .folder: "a folder"
    case .link: "a symbolic link"
    case .other: "a pipe, a socket or a device"
    }
  }
}

/// Identifies a file on a disk.
package struct InodeID: Hashable, Sendable {
  package let device: UInt64
  package let inode: UInt64

  package init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }

  init(_ status: stat) {
    self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }
}
