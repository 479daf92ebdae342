import CGlibc
import Cryptography
import Glibc
import Model

/// Creates temporary files, and records each in the ledger before it exists, so that the next start removes what a
/// killed process leaves behind.
struct TemporaryFiles: Sendable {
  let ledger: any FileLedger
  /// A lock file in which every process locks one byte for each of its temporary files, which shows whether the process
  /// is alive.
  let lockPath: String

  /// A new empty file for this user only, beside `target`.
  func make(for target: FileLocation) throws(MAMError) -> TemporaryFile {
    try ledger.checkWritable()
    let name = try TemporaryName.random()
    guard let lock = try lock(name) else { throw .inUse(target.path) }
    try ledger.remember(TemporaryFileEntry(id: name.id, folder: target.folder.path, target: target.name))
    do throws(MAMError) {
      return try TemporaryFile(for: target, name, lock: lock)
    } catch {
      try? forget(name)
      throw error
    }
  }

  func forget(_ name: TemporaryName) throws(MAMError) { try ledger.forgetTemporaryFile(name.id) }

  /// Overwrites and removes the file. If that fails now, the next start removes it, because the ledger still knows it.
  func abandon(_ file: TemporaryFile) {
    do throws(MAMError) {
      try file.destroy()
      try forget(file.name)
    } catch {
      return
    }
  }

  /// A lock that is released when the process ends for any reason. `nil` if another process holds it.
  func lock(_ name: TemporaryName) throws(MAMError) -> DiskFile? {
    let descriptor = Glibc.open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotUse(lockPath, errno) }
    let lock = DiskFile(descriptor: descriptor, path: lockPath)
    if cglibc_lock_byte(descriptor, name.id) == 0 { return lock }
    guard errno == EAGAIN || errno == EACCES else { throw .cannotUse(lockPath, errno) }
    return nil
  }
}

/// A file that will replace another, or become a new one.
final class TemporaryFile: Sendable {
  let location: FileLocation
  let name: TemporaryName
  let file: DiskFile
  private let lock: DiskFile

  /// Errors name the target, because nobody knows the temporary name.
  fileprivate init(for target: FileLocation, _ name: TemporaryName, lock: DiskFile) throws(MAMError) {
    location = target.sibling(name.text)
    self.name = name
    self.lock = lock
    file = try location.open(O_RDWR | O_CREAT | O_EXCL, mode: 0o600, for: target.path)
  }

  /// Replaces `target` atomically.
  func replace(_ target: FileLocation) throws(MAMError) {
    let folder = location.folder.descriptor
    guard renameat(folder, location.name, folder, target.name) == 0 else { throw .file(target.path, errno) }
  }

  /// Gives the file a name that must not exist yet.
  func appear(as target: FileLocation) throws(MAMError) {
    let folder = location.folder.descriptor
    guard cglibc_rename_new(folder, location.name, folder, target.name) == 0 else {
      throw .file(target.path, errno)
    }
  }

  /// Overwrites the content, which must not stay on the disk. Does nothing once the file has another name.
  func destroy() throws(MAMError) {
    guard try location.status()?.inode == InodeID(file.status()) else { return }
    try file.overwrite()
    try location.remove()
  }
}

extension TemporaryFiles {
  /// Overwrites and removes what dead processes left behind. Only queries the ledger if there is nothing. Returns the
  /// target files: each is the old one or the new one.
  func removeLeftovers(_ report: (MAMError) -> Void) throws(MAMError) -> [AbsolutePath] {
    var targets: [AbsolutePath] = []
    for leftover in try ledger.temporaryFiles() {
      do throws(MAMError) {
        guard try remove(leftover) else { continue }
        if let path = AbsolutePath(leftover.folder + "/" + leftover.target) { targets.append(path) }
      } catch {
        report(error)
      }
    }
    return targets
  }

  /// Returns false if a living process still uses the file, or the folder does not exist: its disk may come back.
  private func remove(_ leftover: TemporaryFileEntry) throws(MAMError) -> Bool {
    let name = TemporaryName(id: leftover.id)
    guard let lock = try lock(name), let path = AbsolutePath(leftover.folder + "/" + name.text) else {
      return false
    }
    defer { withExtendedLifetime(lock) {} }
    do throws(MAMError) {
      let location = try FileLocation(path)
      if try location.status()?.kind == .file {
        try location.openForOverwriting().overwrite()
        try location.remove()
        try location.folder.sync(dataOnly: false)
      }
    } catch {
      if error.fault?.number == ENOENT || error.fault?.number == ENOTDIR { return false }
      throw error
    }
    try forget(name)
    return true
  }
}

extension FileLocation {
  /// Also opens a file that already has the mode of a read-only file.
  fileprivate func openForOverwriting() throws(MAMError) -> DiskFile {
    do throws(MAMError) {
      return try open(O_WRONLY)
    } catch {
      guard error.fault?.number == EACCES, fchmodat(folder.descriptor, name, 0o600, 0) == 0 else { throw error }
      return try open(O_WRONLY)
    }
  }
}

/// The name of a temporary file, from a unique number.
package struct TemporaryName: Hashable, Sendable {
  let id: Int64

  init(id: Int64) {
    self.id = id
  }

  package static func random() throws(MAMError) -> TemporaryName {
    let bytes = try MAMError.keys { () throws(CryptographyError) in try Random.bytes(8) }
    return TemporaryName(id: bytes.reduce(0) { $0 << 8 | Int64($1) } & .max)
  }

  private static let (prefix, suffix) = (".mambridge-", ".tmp")

  package var text: String {
    let digits = String(id, radix: 16)
    return Self.prefix + String(repeating: "0", count: 16 - digits.count) + digits + Self.suffix
  }

  /// Whether a file has a temporary file's name.
  static func isOne(_ text: String) -> Bool {
    guard text.hasPrefix(prefix), text.hasSuffix(suffix) else { return false }
    let digits = text.dropFirst(prefix.count).dropLast(suffix.count)
    return Int64(digits, radix: 16).map { TemporaryName(id: $0).text == text } ?? false
  }
}
