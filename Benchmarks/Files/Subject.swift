import Cryptography
import Glibc
import MAM
import Model

/// A plain file and an encrypted one of the same length, and what is measured with them.
final class Subject {
  private static let block = 64 << 10
  private static let page = 4096
  private static let randomCount = 20_000

  private let folder: String
  private let size: Int
  private let core: Core
  private let plain: Int32
  private var encrypted: FileHandle
  private var buffer: [UInt8]
  /// Cheap, and far from any cycle.
  private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(folder: String, size: Int) throws {
    var template = Array((folder + "/mambridge-bench-XXXXXX").utf8CString)
    guard let made = mkdtemp(&template) else { throw Failure("cannot make a folder in \(folder)") }
    self.folder = String(cString: made)
    self.size = size
    guard let configuration = CoreConfiguration(stateFolder: self.folder + "/state", appId: "bench", tenant: .sample)
    else { throw Failure("no configuration") }
    core = Core(configuration)
    let status = try core.enrollment.registerAndEnroll(AccountReference("alice@contoso.example"))
    guard status.didSucceed else { throw Failure("alice was not enrolled") }
    buffer = (0..<Self.block).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    plain = open(self.folder + "/plain", O_RDWR | O_CREAT, 0o600)
    for offset in stride(from: 0, to: size, by: Self.block) { pwrite(plain, buffer, Self.block, off_t(offset)) }
    encrypted = try Self.create(core, self.folder)
    try copyEncrypted()
  }

  func remove() {
    close(plain)
    encrypted.close()
    _ = Glibc.system("rm -rf '\(folder)'")
  }

  /// The plain file into another, as `cp` would with blocks of 64 KiB.
  func copyPlain() throws {
    unlink(folder + "/copy")
    let copy = open(folder + "/copy", O_RDWR | O_CREAT, 0o600)
    defer { close(copy) }
    for offset in stride(from: 0, to: size, by: Self.block) {
      pread(plain, &buffer, Self.block, off_t(offset))
      guard write(copy, buffer, Self.block) == Self.block else { throw Failure("the disk is full") }
    }
    fsync(copy)
  }

  /// The plain file into an encrypted one.
  func copyEncrypted() throws {
    encrypted.close()
    unlink(folder + "/copy")
    unlink(folder + "/encrypted")
    encrypted = try Self.create(core, folder)
    for offset in stride(from: 0, to: size, by: Self.block) {
      pread(plain, &buffer, Self.block, off_t(offset))
      try encrypted.write(buffer)
    }
    try encrypted.sync(dataOnly: false)
  }

  /// OpenSSL alone, on as many bytes.
  func decryptBlocks() throws {
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

  func readEncrypted() throws {
    for offset in stride(from: 0, to: size, by: Self.block) { try readEncrypted(Self.block, at: offset) }
  }

  func readPlainPages() {
    for _ in 0..<Self.randomCount { pread(plain, &buffer, Self.page, off_t(randomPage())) }
  }

  func readEncryptedPages() throws {
    for _ in 0..<Self.randomCount { try readEncrypted(Self.page, at: randomPage()) }
  }

  func changePlainPages() {
    for _ in 0..<Self.randomCount {
      let offset = randomPage()
      pread(plain, &buffer, Self.page, off_t(offset))
      buffer[7] &+= 1
      pwrite(plain, buffer, Self.page, off_t(offset))
    }
  }

  func changeEncryptedPages() throws {
    var bytes = [UInt8](repeating: 0, count: Self.page)
    for _ in 0..<Self.randomCount {
      let offset = UInt64(randomPage())
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

  private func randomPage() -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(random >> 33) % (size / Self.page) * Self.page
  }

  private static func create(_ core: Core, _ folder: String) throws -> FileHandle {
    guard let path = AbsolutePath(folder + "/encrypted") else { throw Failure("the folder must be absolute") }
    let file = try core.openFile(path, [.readWrite, .create, .truncate])
    guard try file.isEncrypted() else { throw Failure("the file is not encrypted") }
    return file
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
