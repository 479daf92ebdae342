import Glibc
import Model
import Support

extension FileProtection {
  /// Makes a new file with the plain content and the owner of another one, and its mode. Refuses where something has the
  /// name already. Commit point: the moment in which the new file gets its name.
  func decrypt(
    _ location: FileLocation, to target: FileLocation, _ owner: DataOwner, _ progress: FileProgress
  ) throws(MAMError) {
    guard try target.status() == nil else { throw .file(target.path, EEXIST) }
    let source = try LeasedFile(location)
    let temporary = try temporary.make(for: target)
    do throws(MAMError) {
      try fill(temporary.file, from: source, FileGoal(owner: owner, isEncrypted: false), target.path, progress)
      guard try source.isCurrent() else { throw .inUse(location.path) }
      guard CommitPoint.current?.pass() ?? true else { throw .stopped }
      try temporary.appear(as: target)
    } catch {
      self.temporary.abandon(temporary)
      throw error
    }
    try target.folder.sync(dataOnly: false)
    try self.temporary.forget(temporary.name)
  }

  private func fill(
    _ target: DiskFile, from source: LeasedFile, _ goal: FileGoal, _ path: String, _ progress: FileProgress
  ) throws(MAMError) {
    try write(source.file, to: target, goal, progress)
    try ownership.set(goal.owner, on: target, path: path, isEncrypted: false)
    guard fchmod(target.descriptor, source.status.permissions & 0o777) == 0 else { throw .file(path) }
    try target.sync(dataOnly: false)
  }
}
