import CGlibc
import Glibc

/// A folder whose files others change, too, who know no lock of this program: editors and git.
///
/// A file is exchanged for a new one in one step, and what came out is looked at: if it is not what was expected, it goes
/// back. What a killed process leaves is finished by `finish`.
package struct ContestedFolder {
  /// Of the open folder, which the caller owns.
  private let folder: Int32

  package init(_ descriptor: Int32) { folder = descriptor }

  private static let largestFile = 64 << 20

  /// The content of a regular file; `nil` if there is none. ELOOP for a symbolic link, EINVAL for something else.
  package func read(_ name: String) throws(SystemError) -> [UInt8]? {
    guard let file = try open(name) else { return nil }
    defer { close(file) }
    return try FileContents.read(file, limit: Self.largestFile)
  }

  /// Makes a file, with the owner and the mode of another one. Returns false if the name is taken.
  package func add(_ name: String, _ bytes: [UInt8], like model: String? = nil) throws(SystemError) -> Bool {
    let new = try NewFile(in: folder, draft: Leftover.unfinished(name))
    try new.append(bytes)
    if let status = model.flatMap(status) { try new.dress(like: status) } else { try new.setMode(0o666 & ~mask) }
    try new.sync()
    do throws(SystemError) { try new.appear(as: name) } catch {
      guard error.number == EEXIST else { throw error }
      return false
    }
    return true
  }

  /// Replaces a file whose content is as expected, and that nobody has open for writing. Returns false, and changes
  /// nothing, if it is another one.
  package func replace(
    _ name: String, with bytes: [UInt8], ifItIs isExpected: ([UInt8]) -> Bool
  ) throws(SystemError) -> Bool {
    guard let old = try open(name), let status = Self.status(of: old) else { return false }
    defer { close(old) }
    guard isExpected(try FileContents.read(old, limit: Self.largestFile)) else { return false }
    let new = try NewFile(in: folder, draft: Leftover.unfinished(name))
    try new.append(bytes)
    try new.dress(like: status)
    try new.sync()
    let draft = Leftover(of: name, new: try new.inode, old: status)
    guard try new.exchange(name, leaving: draft.text) else { return false }
    if isUnused(draft.text, isExpected) {
      guard unlinkat(folder, draft.text, 0) == 0 else { throw .current }
      try sync()
      return true
    }
    try putBack(draft)
    return false
  }

  /// Removes a file whose content is as expected. Returns false, and changes nothing, if it is another one.
  package func remove(_ name: String, ifItIs isExpected: ([UInt8]) -> Bool) throws(SystemError) -> Bool {
    guard let status = status(name) else { return false }
    let draft = Leftover(of: name, new: 0, old: status)
    guard cglibc_rename_new(folder, name, folder, draft.text) == 0 else {
      guard errno == ENOENT else { throw .current }
      return false
    }
    if isUnused(draft.text, isExpected) {
      guard unlinkat(folder, draft.text, 0) == 0 else { throw .current }
      try sync()
      return true
    }
    try restore(draft)
    return false
  }

  /// Makes a folder, unless there is one.
  package func makeFolder(_ name: String) throws(SystemError) {
    guard mkdirat(folder, name, 0o777) == 0 || errno == EEXIST else { throw .current }
    try sync()
  }

  /// Some file systems cannot sync folders.
  private func sync() throws(SystemError) {
    guard fsync(folder) == 0 || errno == EINVAL else { throw .current }
  }

  private var mask: mode_t {
    let mask = umask(0)
    umask(mask)
    return mask
  }

  private func open(_ name: String) throws(SystemError) -> Int32? {
    let file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else {
      guard errno == ENOENT else { throw .current }
      return nil
    }
    guard let status = Self.status(of: file), status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw SystemError(number: EINVAL)
    }
    return file
  }

  private static func status(of file: Int32) -> stat? {
    var status = stat()
    return fstat(file, &status) == 0 ? status : nil
  }

  private func status(_ name: String) -> stat? {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
  }

  /// Whether a file that no name but the draft's leads to has the expected content, and nobody can write to it.
  private func isUnused(_ draft: String, _ isExpected: ([UInt8]) -> Bool) -> Bool {
    guard let file = try? open(draft) else { return false }
    defer { close(file) }
    // Refused while somebody has the file open for writing. Of file systems without leases, the content must do.
    if cglibc_take_read_lease(file) != 0, errno == EAGAIN { return false }
    return (try? FileContents.read(file, limit: Self.largestFile)).map(isExpected) ?? false
  }

  /// Puts a file back that was not the expected one. Others may have put a newer one into its place meanwhile, which then
  /// comes out and goes back in turn, until what comes out is what this program has put in.
  private func putBack(_ draft: Leftover) throws(SystemError) {
    var placed = draft.new
    while let out = status(draft.text), UInt64(out.st_ino) != placed {
      guard cglibc_rename_exchange(folder, draft.text, folder, draft.name) == 0 else {
        guard errno == ENOENT else { throw .current }
        return try restore(draft)
      }
      guard let next = status(draft.text), UInt64(next.st_ino) != placed else { break }
      placed = UInt64(out.st_ino)
    }
    guard unlinkat(folder, draft.text, 0) == 0 || errno == ENOENT else { throw .current }
    try sync()
  }

  /// Gives a file its name back, unless others have given the name to a newer one.
  private func restore(_ draft: Leftover) throws(SystemError) {
    guard cglibc_rename_new(folder, draft.text, folder, draft.name) != 0 else { return try sync() }
    guard errno == EEXIST else { throw .current }
    guard unlinkat(folder, draft.text, 0) == 0 || errno == ENOENT else { throw .current }
  }

  /// Ends what a killed process has begun: each file is then the old one or the new one, and what others wrote meanwhile
  /// is in its place. Only for the holder of the lock under which all writers of this program change the folder.
  package func finish() throws(SystemError) {
    for text in try names() {
      if Leftover.isUnfinished(text) {
        unlinkat(folder, text, 0)
        continue
      }
      guard let draft = Leftover(text), let found = status(text) else { continue }
      if UInt64(found.st_ino) == draft.new || draft.isOld(found) {
        unlinkat(folder, text, 0)
      } else if let named = status(draft.name), UInt64(named.st_ino) == draft.new {
        try putBack(draft)
      } else {
        try restore(draft)
      }
    }
  }

  private func names() throws(SystemError) -> [String] {
    let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .current }
    guard let handle = fdopendir(descriptor) else {
      let error = SystemError.current
      close(descriptor)
      throw error
    }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
      names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }
}

/// What is between two steps, as the name of a file says it: the file that takes a place, and the one that was there.
private struct Leftover {
  private static let end = ".mambridge-edit"
  private static let unfinishedEnd = ".mambridge-new"

  let name: String
  /// The inode of the new file; 0 if the old one is removed.
  let new: UInt64
  private let old: [UInt64]

  init(of name: String, new: UInt64, old: stat) {
    (self.name, self.new, self.old) = (name, new, Self.identity(of: old))
  }

  /// `nil` for the name of another file.
  init?(_ text: String) {
    guard text.hasPrefix("."), text.hasSuffix(Self.end) else { return nil }
    let parts = text.dropFirst().dropLast(Self.end.count).split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.last?.split(separator: "-").compactMap { UInt64($0) } ?? []
    guard parts.count > 1, numbers.count == 5 else { return nil }
    name = parts.dropLast().joined(separator: ".")
    new = numbers[0]
    old = Array(numbers.dropFirst())
  }

  var text: String { ".\(name).\(([new] + old).map(String.init).joined(separator: "-"))\(Self.end)" }

  func isOld(_ status: stat) -> Bool { old == Self.identity(of: status) }

  /// What a rename does not change, and writing does.
  private static func identity(of status: stat) -> [UInt64] {
    let signed = [Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec)]
    return [UInt64(status.st_ino)] + signed.map { UInt64(bitPattern: $0) }
  }

  /// For a file without a name, on a system that needs one.
  static func unfinished(_ name: String) -> String { ".\(name)\(unfinishedEnd)" }

  static func isUnfinished(_ text: String) -> Bool { text.hasPrefix(".") && text.hasSuffix(unfinishedEnd) }
}
