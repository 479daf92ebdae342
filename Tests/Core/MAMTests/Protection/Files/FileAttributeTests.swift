import CGlibc
import Glibc
import TestSupport
import Testing

@testable import MAM
@testable import Vault

@Suite struct FileAttributeTests {
  private static let accessACL = "system.posix_acl_access"
  private static let defaultACL = "system.posix_acl_default"
  /// Version 2; entries of tag, permissions and id: user, user 1000, group, mask, others.
  private static let acl: [UInt8] =
    [2, 0, 0, 0] + entry(1, 6) + entry(2, 4, 1000) + entry(4, 4) + entry(0x10, 4) + entry(0x20, 0)

  private static func entry(_ tag: UInt8, _ permissions: UInt8, _ id: UInt32 = .max) -> [UInt8] {
    [tag, 0, permissions, 0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * UInt32($0))) }
  }

  @Test(
    "Protecting and decrypting a file keep its mode, times, attributes and ACL",
    arguments: [0o600, 0o400, 0o4755, 0o644] as [mode_t])
  func kept(_ mode: mode_t) throws {
    let documents = try DocumentFixture()
    let path = documents.folder.file("document")
    #expect(setxattr(path, "user.color", "blue", 4, 0) == 0)
    let hasACL = setxattr(path, Self.accessACL, Self.acl, Self.acl.count, 0) == 0
    chmod(path, mode)
    let times = [timespec(tv_sec: 1_600_000_000, tv_nsec: 123_456_789), timespec(tv_sec: 1_500_000_000, tv_nsec: 987)]
    utimensat(AT_FDCWD, path, times, 0)
    let before = try #require(documents.status())
    let acl = value(Self.accessACL, path)

    var inode = before.inode
    for work in [{ try documents.protect() }, { try documents.core.files.decrypt(documents.path(), to: nil) }] {
      try work()
      let after = try #require(documents.status())
      #expect(after.inode != inode)
      inode = after.inode
      #expect(after.permissions == before.permissions)
      #expect(after.user == before.user)
      #expect(after.group == before.group)
      #expect(after.modified.tv_sec == 1_500_000_000)
      #expect(after.modified.tv_nsec == 987)
      #expect(after.accessed.tv_sec == 1_600_000_000)
      #expect(after.accessed.tv_nsec == 123_456_789)
      #expect(value("user.color", path) == Array("blue".utf8))
      #expect(value(Self.accessACL, path) == acl)
      #expect((acl != nil) == hasACL)
      utimensat(AT_FDCWD, path, times, 0)
    }
  }

  @Test("A protected file does not inherit the default ACL of its folder")
  func inherited() throws {
    let documents = try DocumentFixture()
    guard setxattr(documents.folder.path, Self.defaultACL, Self.acl, Self.acl.count, 0) == 0 else { return }
    let mode = documents.status()?.permissions
    try documents.protect()
    #expect(value(Self.accessACL, documents.folder.file("document")) == nil)
    #expect(documents.status()?.permissions == mode)
  }

  @Test("Protecting a file keeps its user and group", .enabled(if: Privileges.isRoot, "only root may give files away"))
  func owner() throws {
    let documents = try DocumentFixture()
    chown(documents.folder.file("document"), 1234, 4321)
    try documents.protect()
    #expect(documents.status()?.user == 1234)
    #expect(documents.status()?.group == 4321)
  }

  @Test("The owner attribute of a plain file is removed by encryption and restored by decryption")
  func mark() throws {
    let documents = try DocumentFixture(encrypting: false)
    let path = documents.folder.file("document")
    try documents.protect()
    #expect(value(OwnerAttribute.name, path) != nil)
    try documents.encrypt()
    #expect(value(OwnerAttribute.name, path) == nil)
    try documents.protect()
    #expect(value(OwnerAttribute.name, path) != nil)
  }

  private func value(_ name: String, _ path: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = getxattr(path, name, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes[..<count])
  }
}
