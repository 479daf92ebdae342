import Glibc
import TestSupport
import Testing

@testable import MAM
@testable import Vault

/// What happens before a file's key has sealed as much as random nonces bear.
@Suite struct FileRenewalTests {
  let files: HandleFixture
  static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }

  init() throws {
    files = try HandleFixture()
  }

  @Test(
    "A heavily written file is encrypted again with a new salt; owner, mode and open handles stay",
    arguments: [false, true])
  func renewal(_ isShared: Bool) throws {
    let file = try files.create()
    try file.write(Self.content)
    file.close()
    if isShared { try files.core.files.encrypt(files.path(), for: .user("alice")) }
    #expect(chmod(file.path, 0o640) == 0)
    let handles = [try files.open(), try files.open(core: files.fixture.core()), try files.open(.readOnly)]
    let old = files.disk()
    try wear(EncryptedFile.renewedWrites + 1)
    try handles[0].write([9, 9], at: 5000)
    let new = files.disk()
    #expect(old[32..<64] != new[32..<64])
    #expect(old[16..<32] == new[16..<32])
    try handles[1].write([8], at: 5001)
    let changed = Self.content[..<5000] + [9, 8] + Self.content[5002...]
    for handle in handles { #expect(try handle.content() == Array(changed)) }
    #expect(try encrypted().record.writeCount < 3 * EncryptedFile.reservation)
    var status = stat()
    #expect(stat(file.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(status.st_nlink == 1)
    #expect(try files.core.files.protectionInfo(files.path())?.identity == TenantFolder.upn("alice"))
    #expect(try files.names() == ["document"])
  }

  @Test("Truncating a heavily written file also gives it a new salt")
  func truncate() throws {
    let file = try files.create()
    try file.write(Self.content)
    let old = files.disk()
    try wear(EncryptedFile.renewedWrites + 1)
    try file.truncate(to: 5)
    #expect(try file.content() == Array(Self.content[..<5]))
    #expect(files.disk()[32..<64] != old[32..<64])
  }

  @Test("A file with two names gets no new salt, and takes no more writes once its key is used up")
  func names() throws {
    let file = try files.create()
    try file.write([1, 2, 3])
    let old = files.disk()
    #expect(link(file.path, file.path + ".link") == 0)
    try wear(EncryptedFile.renewedWrites + 1)
    try file.write([7])
    #expect(try file.content() == [1, 2, 3, 7])
    #expect(files.disk()[32..<64] == old[32..<64])
    try wear(EncryptedFile.maximumWrites - EncryptedFile.reservation)
    let again = try files.open()
    let refused = failure { try again.write([1]) }
    #expect(refused?.code == .fileUnavailable)
    #expect(refused?.hint != nil)
    #expect(try again.content() == [1, 2, 3, 7])
  }

  private func encrypted() throws -> EncryptedFile {
    let file = try DiskFile(path: files.path().text, flags: O_RDWR)
    return try #require(try files.core.refresh().files.content(of: file) as? EncryptedFile)
  }

  /// As if its key had sealed so much.
  private func wear(_ count: UInt64) throws {
    var file = try encrypted()
    try file.replaceRecord { $0.writeCount = count }
  }
}

extension HandleFixture {
  /// What lies beside the file.
  fileprivate func names() throws -> [String] {
    let folder = try FileLocation(path()).folder
    return try folder.entries().filter { $0.hasPrefix("document") || $0.hasPrefix(".") }
  }
}
