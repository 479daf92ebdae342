import Glibc

/// Copies a folder with everything in it. Files are copied inside the kernel, so that nothing of them is left in this
/// process.
package enum FolderCopy {
  /// What could not be copied, and why.
  package struct Failure: Error, Sendable {
    package let path: String
    package let error: SystemError
  }

  /// Creates `target`, which must not exist, for this user only. Links and special files are left out.
  package static func make(of source: String, at target: String) throws(Failure) {
    try check(mkdir(target, 0o700), target)
    for name in try names(source) {
      let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
      var status = stat()
      try check(lstat(from, &status), from)
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try make(of: from, at: to)
      case S_IFREG: try copyFile(from, to)
      default: continue
      }
    }
  }

  private static func names(_ folder: String) throws(Failure) -> [String] {
    guard let stream = opendir(folder) else { throw Failure(path: folder, error: .current) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      names.append(name)
    }
    try check(errno == 0 ? 0 : -1, folder)
    return names.filter { $0 != "." && $0 != ".." }
  }

  private static func copyFile(_ source: String, _ target: String) throws(Failure) {
    let from = open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    try check(from, source)
    defer { close(from) }
    let to = open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    try check(to, target)
    defer { close(to) }
    while true {
      let count = sendfile(to, from, nil, 1 << 30)
      if count == 0 { return }
      if count < 0, errno == EINTR { continue }
      try check(Int32(clamping: count), target)
    }
  }

  private static func check(_ result: Int32, _ path: String) throws(Failure) {
    guard result < 0 else { return }
    throw Failure(path: path, error: .current)
  }
}
