import Glibc
import Support

/// A file that does not exist yet, and that appears as a whole or not at all.
struct RecordedFile {
  private let path: String

  /// Throws if there is a file or the folder cannot be used, before anything is recorded.
  init(_ path: String) throws {
    self.path = path
    var status = stat()
    guard lstat(path, &status) != 0 else { throw Self.failure(path, SystemError(number: EEXIST)) }
    try Self.withFolder(of: path) { _ in }
  }

  func write(_ text: String) throws {
    try Self.withFolder(of: path) { folder throws(SystemError) in
      let name = path.absolutePath.dropFirst(path.absolutePath.parentFolder.count).drop { $0 == "/" }
      let file = try NewFile(in: folder, draft: ".\(name).\(getpid())")
      try file.append(Array(text.utf8))
      try file.appear(as: String(name))
    }
  }

  private static func withFolder(of path: String, _ body: (Int32) throws(SystemError) -> Void) throws {
    let descriptor = open(path.absolutePath.parentFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, .current) }
    defer { close(descriptor) }
    do throws(SystemError) { try body(descriptor) } catch { throw failure(path, error) }
  }

  private static func failure(_ path: String, _ error: SystemError) -> CommandFailure {
    let hint =
      switch error.number {
      case EEXIST: "; nothing is replaced. Name a new file"
      case ENOENT: ". Create its folder first"
      default: ""
      }
    return CommandFailure(exitCode: 1, message: "cannot write \(path.shown): \(error.text)\(hint)")
  }
}
