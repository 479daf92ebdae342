import Glibc
import Model
import Support

/// An open file that follows its name: after the file is replaced or changes its kind, uses the file that has the name
/// now. The holder has exclusive use of it.
struct OpenFile: Sendable {
  /// Stops a call that would otherwise follow constant replacements forever.
  private static let maximumReplacements = 100

  let path: String
  private let descriptorFlags: Int32
  private let environment: FileEnvironment
  private var file: DiskFile
  private var lock: FileLock
  private var content: any PlainText
  /// The generation of keys and state at the last check of the right to use the file.
  private var generation: UInt64
  private var isNameSynced = false
  /// The number of seals at which the next attempt to renew the file is due.
  private var renewedWrites = EncryptedFile.renewedWrites

  init(_ path: String, _ access: FileAccess, mode: mode_t, for owner: NewOwner, _ environment: FileEnvironment)
    throws(MAMError)
  {
    self.path = path
    self.environment = environment
    descriptorFlags = access.descriptorFlags
    generation = environment.keys.store.generation
    let (file, isNew) = try DiskFile.openOrCreate(path, access, mode)
    self.file = file
    lock = try FileLock.of(file)
    content = PlainFile(file: file)
    do throws(MAMError) {
      if isNew || access.canWrite {
        content = try lock.withLock(file) { () throws(MAMError) -> any PlainText in
          if isNew || access.truncates { return try environment.begin(file, for: owner) }
          let content = try environment.content(of: file)
          guard var encrypted = content as? EncryptedFile else { return content }
          try encrypted.cutTail()
          return encrypted
        }
      } else {
        content = try environment.content(of: file, lock)
      }
    } catch {
      // Leave no plain file without an owner. On fileInUse keep it: whoever holds the lock may have written to it.
      if isNew, error.code != .fileInUse, lock.isNamed(path) { unlink(path) }
      throw error
    }
  }

  var isEncrypted: Bool { content.encryption != nil }

  /// `nil` for a file without an owner.
  func owner() throws(MAMError) -> DataOwner? {
    if let header = content.encryption { return header.owner }
    return try environment.owners.owner(of: file)
  }

  mutating func read(into target: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MAMError) -> Int {
    try reading { content throws(MAMError) -> Int in try content.read(into: target, at: offset) }
  }

  /// Appends if there is no offset. Commit point: before the first byte. Returns the offset of the bytes.
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64?) throws(MAMError) -> UInt64 {
    try locked(for: .changing) { content throws(MAMError) -> UInt64 in
      let start = if let offset { offset } else { try content.currentLength() }
      try CommitPoint.passCurrent()
      try content.write(bytes, at: start)
      return start
    }
  }

  mutating func truncate(to length: UInt64) throws(MAMError) {
    _ = try locked(for: .changing) { content throws(MAMError) -> Bool in
      try CommitPoint.passCurrent()
      try content.truncate(to: length)
      return true
    }
  }

  mutating func length() throws(MAMError) -> UInt64 {
    try reading { content throws(MAMError) -> UInt64 in try content.currentLength() }
  }

  mutating func sync(dataOnly: Bool) throws(MAMError) {
    try checkRight()
    try file.sync(dataOnly: dataOnly)
    guard !isNameSynced else { return }
    // The name, too, which may be new. A folder that cannot be opened has no other way.
    let location = AbsolutePath(path).flatMap { try? FileLocation($0) }
    try? location?.folder.sync(dataOnly: false)
    isNameSynced = true
  }

  /// Returns the seals that were counted in advance. Ignores failures and does not wait long, because the file is whole
  /// without it.
  mutating func close() {
    guard content.hasReserve else { return }
    let file = file
    try? lock.withLock(file, atMost: .milliseconds(100)) { () throws(MAMError) -> Void in try content.release() }
  }

  /// Tries without the lock first: a failure may be a write in progress.
  private mutating func reading<Result: Sendable>(
    _ body: (inout any PlainText) throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    try checkRight()
    if try file.status().st_nlink > 0 {
      do throws(MAMError) {
        try content.refresh()
        let result = try body(&content)
        if isEncrypted { return result }
        if try !file.isEncrypted() { return result }
      } catch {
        guard error.mayBeHalfWritten else { throw error }
      }
    }
    return try locked(for: .reading, body)
  }

  /// Runs under the lock, on the file that has the name now.
  private mutating func locked<Result: Sendable>(
    for use: Flock.Use, _ body: (inout any PlainText) throws(MAMError) -> Result
  ) throws(MAMError) -> Result {
    try checkRight()
    for _ in 0..<Self.maximumReplacements {
      let (lock, file) = (lock, file)
      let result = try lock.withLock(file, for: use) { () throws(MAMError) -> Result? in
        guard lock.isNamed(path) else { return nil }
        try followKind()
        if use == .changing, try isRenewed() { return nil }
        return try body(&content)
      }
      if let result { return result }
      try reopen()
    }
    throw MAMError(.fileInUse, "the file keeps being replaced by others", hint: "Try again", path: path)
  }

  private mutating func reopen() throws(MAMError) {
    file = try DiskFile(path: path, flags: descriptorFlags)
    lock = try FileLock.of(file)
    content = try environment.content(of: file)
  }

  /// Another process may have emptied the file and given it to another owner, with another key or none.
  private mutating func followKind() throws(MAMError) {
    if isEncrypted {
      do throws(MAMError) {
        try content.refresh()
      } catch {
        guard error.mayBeHalfWritten else { throw error }
        content = try environment.content(of: file)
      }
    } else if try file.isEncrypted(), let encrypted = try? environment.content(of: file) {
      // Plain bytes may begin like an encrypted file. If no key opens them, they stay plain.
      content = encrypted
    }
  }

  /// Encrypts the file under another key before the current key has sealed too much. If that fails, half of the current
  /// key's seals are still left, and a later write tries again.
  private mutating func isRenewed() throws(MAMError) -> Bool {
    guard content.sealCount > renewedWrites else { return false }
    do throws(MAMError) {
      try environment.files.renew(file)
      renewedWrites = EncryptedFile.renewedWrites
      return true
    } catch {
      guard error.code != .cancelled else { throw error }
      renewedWrites = content.sealCount + EncryptedFile.reservation
      return false
    }
  }

  private mutating func checkRight() throws(MAMError) {
    let current = environment.keys.store.generation
    guard current != generation else { return }
    if let header = content.encryption { try environment.check(header, file) }
    generation = current
  }
}

extension FileEnvironment {
  /// For reading: tries without the lock first.
  func content(of file: DiskFile, isSalvaging: Bool = false, _ lock: FileLock) throws(MAMError) -> any PlainText {
    do throws(MAMError) {
      return try content(of: file)
    } catch {
      guard error.mayBeHalfWritten else { throw error }
    }
    return try lock.withLock(file, for: .reading) { () throws(MAMError) -> any PlainText in
      try content(of: file, isSalvaging: isSalvaging)
    }
  }
}

extension MAMError {
  /// Possible only without the lock.
  var mayBeHalfWritten: Bool { code == .fileDamaged || code == .fileTruncated }
}
