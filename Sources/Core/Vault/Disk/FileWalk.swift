import Glibc
import Model
import Support

/// Walks a folder through open descriptors, so no link is followed, whenever it was created.
struct FileWalk {
  /// Each level keeps a folder open.
  private static let maximumDepth = 200

  let state: StateGuard
  /// The only file system to visit; `nil` for all.
  var device: UInt64?
  var skipsTemporary = true
  /// Throws for a folder that must not be entered.
  var refuse: (DiskFile) throws(MAMError) -> Void = { (_) throws(MAMError) in }
  let visit: (FileLocation, NodeStatus) throws(MAMError) -> Void
  /// Receives what cannot be entered or visited; the walk goes on.
  let report: (FileFailure) -> Void

  /// Visits files in name order. Skips links, pipes, sockets and devices, which hold no content, and mambridge's
  /// temporary files. Reports names that are not UTF-8. `visit` stops the walk by throwing `cancelled`.
  func run(_ folder: DiskFile, depth: Int = 0) throws(MAMError) {
    guard depth < Self.maximumDepth else { throw .tooDeep(folder.path) }
    try state.checkItself(folder)
    try refuse(folder)
    for name in try folder.entries() where !skipsTemporary || !TemporaryName.isOne(name) {
      do throws(MAMError) {
        try enter(FileLocation(folder: folder, name: name), depth)
      } catch {
        if error.code == .cancelled { throw error }
        report(FileFailure(error, path: folder.path + "/" + name))
      }
    }
  }

  /// The size of all files below the folder together, in bytes.
  static func size(of folder: DiskFile, _ state: StateGuard) throws(MAMError) -> Int {
    var size = 0
    let walk = FileWalk(state: state) { _, status throws(MAMError) in
      if CommitPoint.current?.isStopWanted ?? false { throw .stopped }
      size = size.addingReportingOverflow(status.size).partialValue
    } report: { _ in
    }
    try walk.run(folder)
    return size
  }

  private func enter(_ location: FileLocation, _ depth: Int) throws(MAMError) {
    guard let status = try location.status() else {
      // Ignore a file that was removed meanwhile, but report a name that is not UTF-8 and so cannot be opened.
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
      .unsuitableFile, "the file was skipped: its name is not UTF-8", hint: "Rename the file and try again", path: path)
  }

  fileprivate static func tooDeep(_ path: String) -> MAMError {
    MAMError(
      .unsuitableFile, "the folder is nested too deeply", hint: "Try again with the path of this folder", path: path)
  }
}
