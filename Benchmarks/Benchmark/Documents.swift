import Cryptography
import Glibc
import MAM
import Model
import Vault

/// A plain file and an encrypted one of the same length, and the operations to measure on them.
final class Documents {
  /// The offset of each 4 KiB access. A page of the system covers two pages of an encrypted file, which hold 4064 bytes
  /// each.
  enum Places { case pages, anywhere }

  private static let block = 64 << 10
  private static let page = 4096
  private static let randomCount = 20_000

  private let folder: String
  private let size: Int
  private let managed: ManagedCore
  private let plain: Int32
  private var encrypted: FileHandle
  private var buffer: [UInt8]
  /// A cheap generator with a long period.
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(folder: String, size: Int) throws {
    (self.folder, self.size) = (folder, size)
    managed = try ManagedCore(folder: folder)
    buffer = (0..<Self.block).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    plain = open(folder + "/plain", O_RDWR | O_CREAT, 0o600)
    for offset in stride(from: 0, to: size, by: Self.block) { pwrite(plain, buffer, Self.block, off_t(offset)) }
    encrypted = try Self.create(managed.core, folder)
  }

  deinit { close(plain) }

  func removeCopies() {
    encrypted.close()
    for name in ["copy", "encrypted"] { unlink("\(folder)/\(name)") }
  }

  /// Copies the plain file, as `cp` would with blocks of 64 KiB.
  func copyPlain() throws {
    removeCopies()
    let copy = open(folder + "/copy", O_RDWR | O_CREAT, 0o600)
    defer { close(copy) }
    for offset in stride(from: 0, to: size, by: Self.block) {
      pread(plain, &buffer, Self.block, off_t(offset))
      guard write(copy, buffer, Self.block) == Self.block else { throw Failure("the disk is full") }
    }
    fsync(copy)
  }

  /// Encrypts the result of `copyPlain` in place.
  func encrypt() throws {
    guard let path = AbsolutePath(folder + "/copy") else { throw Failure("the folder must be absolute") }
    try managed.core.encryptFile(path, for: managed.alice)
  }

  /// Writes the content of the plain file to an encrypted one, in calls of 256 KiB.
  func copyEncrypted() throws {
    removeCopies()
    encrypted = try Self.create(managed.core, folder)
    var piece = [UInt8](repeating: 0, count: 4 * Self.block)
    for offset in stride(from: 0, to: size, by: piece.count) {
      pread(plain, &piece, piece.count, off_t(offset))
      try encrypted.write(piece)
    }
    try encrypted.sync(dataOnly: false)
  }

  /// Creates age's key. False if age is not installed.
  func canUseAge() throws -> Bool {
    unlink(folder + "/age.key")
    if system("age-keygen -o '\(folder)/age.key' 2>/dev/null") == 0 { return true }
    complain("age is not installed (apt-get install age): skipping the comparison\n")
    return false
  }

  func copyWithAge() throws {
    let copy = "'\(folder)/copy'"
    guard system("age -e -i '\(folder)/age.key' -o \(copy) '\(folder)/plain' && sync \(copy)") == 0 else {
      throw Failure("age failed")
    }
  }

  /// Runs OpenSSL alone on the same number of bytes.
  func openBlocks() throws {
    let context = try AESGCM.Context(key: [UInt8](repeating: 1, count: AESGCM.keyLength))
    let nonce = [UInt8](repeating: 2, count: AESGCM.nonceLength)
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    let sealed = try context.seal(Array(buffer[..<Self.page]), nonce: nonce, associatedData: none)
    try sealed.withUnsafeBytes { sealed in
      try nonce.withUnsafeBytes { nonce in
        try buffer.withUnsafeMutableBytes { target in
          let text = UnsafeRawBufferPointer(rebasing: sealed[..<Self.page])
          let tag = UnsafeRawBufferPointer(rebasing: sealed[Self.page...])
          let target = UnsafeMutableRawBufferPointer(rebasing: target[..<Self.page])
          for _ in 0..<size / Self.page {
            try context.open(text, tag: tag, nonce: nonce, associatedData: none, into: target)
          }
        }
      }
    }
  }

  func read() throws {
    for offset in stride(from: 0, to: size, by: Self.block) { try readEncrypted(Self.block, at: offset) }
  }

  func readPlain(_ places: Places) {
    for _ in 0..<Self.randomCount { pread(plain, &buffer, Self.page, off_t(next(places))) }
  }

  func readEncrypted(_ places: Places) throws {
    for _ in 0..<Self.randomCount { try readEncrypted(Self.page, at: next(places)) }
  }

  func changePlain(_ places: Places) {
    for _ in 0..<Self.randomCount {
      let offset = off_t(next(places))
      pread(plain, &buffer, Self.page, offset)
      buffer[7] &+= 1
      pwrite(plain, buffer, Self.page, offset)
    }
  }

  func changeEncrypted(_ places: Places) throws {
    var bytes = [UInt8](repeating: 0, count: Self.page)
    for _ in 0..<Self.randomCount {
      let offset = UInt64(next(places))
      _ = try bytes.withUnsafeMutableBytes { try encrypted.read(into: $0, at: offset) }
      bytes[7] &+= 1
      try encrypted.write(bytes, at: offset)
    }
  }

  private func readEncrypted(_ count: Int, at offset: Int) throws {
    let done = try buffer.withUnsafeMutableBytes { bytes in
      try encrypted.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]), at: UInt64(offset))
    }
    guard done == count else { throw Failure("too few bytes were read") }
  }

  private func next(_ places: Places) -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    let place = Int(random >> 33) % (size - Self.page)
    return places == .anywhere ? place : place / Self.page * Self.page
  }

  private static func create(_ core: Core, _ folder: String) throws -> FileHandle {
    guard let path = AbsolutePath(folder + "/encrypted") else { throw Failure("the folder must be absolute") }
    let file = try core.openFile(path, [.readWrite, .create, .truncate])
    guard try file.isEncrypted() else { throw Failure("the file is not encrypted") }
    return file
  }
}
