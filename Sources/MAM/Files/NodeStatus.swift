import Glibc

/// What the system tells of a file.
struct NodeStatus: Sendable {
  enum Kind: Sendable { case file, folder, link, other }

  let kind: Kind
  /// Read, write, execute for owner, group and others, and the three special bits.
  let permissions: mode_t
  let user: uid_t
  let group: gid_t
  let size: Int
  let links: Int
  let accessed: timespec
  /// When the content was changed last, to the nanosecond.
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

  /// Why its content cannot be replaced; nil where it can.
  var obstacle: String? {
    switch kind {
    case .link: "it is a symbolic link"
    case .folder: "it is a folder"
    case .other: "it is no regular file"
    case .file: links > 1 ? "it has \(links) names, and the others would keep the old content" : nil
    }
  }
}
