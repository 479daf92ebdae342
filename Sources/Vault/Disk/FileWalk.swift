import Glibc
import Model

/// Goes through a folder by open descriptors: no link is followed, wherever one is put meanwhile.
struct FileWalk {
  /// Each level holds a folder open.
  private static let maximumDepth = 200

  let state: StateGuard
  /// Nil for folders of all file systems.
  var device: UInt64?
  var skipsTemporary = true
  let visit: (FileLocation, NodeStatus) throws(MAMError) -> Void
  /// Gets what cannot be gone through or visited; the walk goes on.
  let report: (FileFailure) -> Void

  /// Files in the order of their names. Links, pipes, sockets and devices hold no content and are left out, as are files
  /// that mambridge keeps for a while. A name that is not UTF-8 is reported. `visit` ends the walk by throwing
  /// `cancelled`.
  func run(_ folder: DiskFile, depth: Int = 0) throws(MAMError) {
    guard depth < Self.maximumDepth else { throw .tooDeep(folder.path) }
    try state.checkItself(folder)
    for name in try folder.entries() where !skipsTemporary || !TemporaryName.isOne(name) {
      do throws(MAMError) {
        try enter(FileLocation(folder: folder, name: name), depth)
      } catch {
        if error.code == .cancelled { throw error }
        report(FileFailure(error, path: folder.path + "/" + name))
      }
    }
  }

  private func enter(_ location: FileLocation, _ depth: Int) throws(MAMError) {
    guard let status = try location.status() else {
      // What is removed meanwhile does not matter; a file that no path leads to does.
      if location.name.unicodeScalars.contains("\u{FFFD}") { throw .unreadableName(location.path) }
      return
    }
    switch status.kind {
    case .file: try visit(location, status)
    case .folder where device ?? status.inode.device == status.inode.device:
      try run(location.open(O_RDONLY | O_DIRECTORY), depth: depth + 1)
    case .folder, .link, .other: break
    }
  }
}

extension MAMError {
  fileprivate static func unreadableName(_ path: String) -> MAMError {
    MAMError(
      .unsuitableFile, "the file is left out: its name is not UTF-8", hint: "Rename it and call again", path: path)
  }

  fileprivate static func tooDeep(_ path: String) -> MAMError {
    MAMError(
      .unsuitableFile, "the folder lies too deep to be gone through", hint: "Call again with its own path", path: path)
  }
}
