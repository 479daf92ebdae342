import Glibc
import Model
import Support

/// Gives a file another content, all of it or nothing: whenever the process ends, its name leads to the old file or to
/// the new one. Free blocks of the disk may still hold the old content.
///
/// The steps, in their order: `init`, `fill`, `takeOver`, `commit`, `settle`; `abandon` instead of the rest.
struct FileReplacement {
  /// Writes the new content, and whatever else only the new file is to have.
  typealias Fill = (_ source: LeasedFile, _ target: DiskFile) throws(MAMError) -> Void

  private let files: TemporaryFiles
  private let source: LeasedFile
  private let temporary: TemporaryFile
  private let attributes: FileAttributes

  /// Refuses what is no regular file with one name, and what is open for writing anywhere (5003).
  init(of location: FileLocation, _ files: TemporaryFiles) throws(MAMError) {
    try self.init(of: LeasedFile(location), files)
  }

  private init(of source: LeasedFile, _ files: TemporaryFiles) throws(MAMError) {
    self.files = files
    self.source = source
    attributes = try FileAttributes(of: source.file, source.status)
    temporary = try files.make(for: source.location)
  }

  /// Runs all steps. Starts over when somebody wants to write the file meanwhile; gives up after the third time. Commit
  /// point: the rename.
  static func run(_ location: FileLocation, _ files: TemporaryFiles, _ fill: Fill) throws(MAMError) {
    for _ in 0..<3 {
      if try isDone(LeasedFile(location), files, fill) { return }
    }
    throw .inUse(location.path)
  }

  /// Runs all steps, once. False when the file was about to change; nothing has happened then.
  static func isDone(_ source: LeasedFile, _ files: TemporaryFiles, _ fill: Fill) throws(MAMError) -> Bool {
    let replacement = try FileReplacement(of: source, files)
    guard try replacement.isCommitted(fill) else { return false }
    try replacement.settle()
    return true
  }

  private func isCommitted(_ fill: Fill) throws(MAMError) -> Bool {
    do throws(MAMError) {
      try self.fill(fill)
      try takeOver()
      if try commit() { return true }
    } catch {
      abandon()
      throw error
    }
    abandon()
    return false
  }

  func fill(_ fill: Fill) throws(MAMError) {
    try fill(source, temporary.file)
  }

  /// All that the old file had besides its content; durable when this returns.
  func takeOver() throws(MAMError) {
    try attributes.apply(to: temporary.file)
    try temporary.file.sync(dataOnly: false)
  }

  /// False when the old file was about to change; nothing has happened then.
  func commit() throws(MAMError) -> Bool {
    guard try source.isCurrent() else { return false }
    guard CommitPoint.current?.pass() ?? true else { throw .stopped }
    try temporary.replace(source.location)
    return true
  }

  func settle() throws(MAMError) {
    try source.location.folder.sync(dataOnly: false)
    try files.forget(temporary.name)
  }

  /// Leaves the old file alone.
  func abandon() { files.abandon(temporary) }
}
