import Cryptography
import Glibc
import Model
import TestSupport

@testable import Vault

/// A buffer that was protected and then changed does not open, or opens as what was protected. Bytes that do not begin as a
/// protected buffer are returned unchanged.
func checkBuffer(_ bytes: [UInt8]) {
  let vault = FuzzVault.shared
  let kind = Int(bytes.first ?? 0) % vault.buffers.count
  for buffer in [Edits(Array(bytes.dropFirst())).applied(to: vault.buffers[kind]), bytes] where !buffer.isEmpty {
    guard let answer = try? vault.protection.unprotect(buffer, .disk, canRead: { _ in true }),
      case .now(let opened) = answer
    else { continue }
    check(opened == FuzzVault.payload || opened == buffer, "a changed buffer opens as \(opened.count) other bytes")
    if opened != buffer { check(buffer == vault.buffers[kind], "a changed buffer opens") }
  }
}

/// An encrypted file that was changed does not open, cannot be read, or has what was written. Its holes may be zeros.
func checkFile(_ bytes: [UInt8]) {
  let vault = FuzzVault.shared
  let changed = Edits(bytes).applied(to: vault.encrypted)
  guard let file = try? vault.file(with: changed) else { return }
  guard let opened = try? EncryptedFile.open(file, key: { _ in vault.key }) else { return }
  guard opened.length <= UInt64(FuzzVault.content.count) else {
    fail("a changed file has \(opened.length) bytes")
  }
  var content = [UInt8](repeating: 0xEE, count: Int(opened.length))
  let count = content.withUnsafeMutableBytes { target in try? opened.read(into: target, at: 0) }
  guard let count else { return }
  check(content.prefix(count).elementsEqual(FuzzVault.content.prefix(count)), "a changed file has other content")
}

/// Keys, and what is protected with them.
private final class FuzzVault: Sendable {
  static let shared: FuzzVault = {
    do { return try FuzzVault() } catch { fail("cannot protect: \(error)") }
  }()
  static let payload = Array("what was protected".utf8)
  /// A few pages.
  static let content = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }

  let folder = TemporaryFolder(inMemory: true)
  let protection: DataProtection
  let buffers: [[UInt8]]
  let key: IdentityKey
  let encrypted: [UInt8]

  private init() throws {
    let owner = DataOwner(
      accountId: "0f3d2c1b-1111-4222-8333-444455556666", tenantId: "7a6b5c4d-aaaa-4bbb-8ccc-ddddeeeeffff",
      identity: "alice@contoso.example")
    let home = FuzzHome(root: folder.path)
    try home.create()
    let keys = KeyStore(home, secret: .keyFile, epoch: try EpochPage(path: home.epochPage))
    let protection = DataProtection(keys: keys)
    self.protection = protection
    buffers = try [(true, false), (false, false), (true, true)].map { isEncrypted, isForApp in
      try protection.protect(Self.payload, for: owner, encrypting: isEncrypted, forThisApp: isForApp, .disk).get()
    }
    key = try .random(epoch: 1)
    let file = try DiskFile(path: folder.file("original"), flags: O_RDWR | O_CREAT, mode: 0o600)
    var new = try EncryptedFile.create(on: file, owner: owner, key: key)
    try Self.content.withUnsafeBytes { try new.write($0, at: 0) }
    try new.release()
    var bytes = [UInt8](repeating: 0, count: try file.size())
    _ = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    encrypted = bytes
  }

  /// A file with these bytes, in place of the one before.
  func file(with bytes: [UInt8]) throws -> DiskFile {
    let file = try DiskFile(path: folder.file("changed"), flags: O_RDWR | O_CREAT | O_TRUNC, mode: 0o600)
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    return file
  }
}

/// The folders of one app's keys.
private struct FuzzHome: KeyHome {
  let root: String
  let appId = "com.example.host"
  var keys: String { root + "/keys" }
  var epochPage: String { keys + "/epoch" }

  func create() throws(MAMError) {
    for folder in [keys, root + "/apps", root + "/apps/" + appId] { try Folder.make(folder, in: root) }
  }

  func hasApp(_ appId: String) -> Bool { Folder.exists(root + "/apps/" + appId) }
}
