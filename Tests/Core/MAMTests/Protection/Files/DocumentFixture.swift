import CGlibc
import Glibc
import Model
import SQLite
import TestSupport

@testable import MAM
@testable import Vault

/// A core with alice and frank, whose policy wants files encrypted, or not; and a folder with documents.
struct DocumentFixture {
  let fixture = CoreFixture()
  let core: Core
  let folder = TemporaryFolder()
  static let text = String(repeating: "Attack at dawn. ", count: 1000)

  /// `encrypting`: what the policy of both says.
  init(encrypting: Bool = true, enrolling names: [String] = ["alice", "frank"]) throws {
    core = try fixture.core("MultiManagedIdentities=true")
    try setPolicy(encrypting: encrypting)
    for name in names { _ = try core.enroll(name) }
    write(Self.text)
  }

  func setPolicy(encrypting: Bool, checkingIn: Bool = false) throws {
    fixture.tenant.writePolicy(#""appDataEncryptionType": "\#(encrypting ? "whenDeviceLocked" : "useDeviceSettings")""#)
    if checkingIn { _ = try core.checkIn() }
  }

  func write(_ text: String, to name: String = "document") { folder.write(text, to: name) }

  func path(_ name: String = "document") -> AbsolutePath { AbsolutePath(folder.file(name)) ?? .root }

  /// As it lies on the disk.
  func disk(_ name: String = "document") -> String {
    readFile(folder.file(name)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The plain text, whatever lies on the disk.
  func content(_ name: String = "document") throws -> String {
    let file = try DiskFile(path: folder.file(name), flags: O_RDONLY)
    var content = try core.refresh().files.content(of: file)
    var bytes = [UInt8](repeating: 0, count: Int(try content.currentLength()))
    let count = try bytes.withRawMutableBytes { bytes throws(MAMError) in try content.read(into: bytes, at: 0) }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  func owner(_ name: String = "document") throws -> String? { try core.files.protectionInfo(path(name))?.identity }

  func isEncrypted(_ name: String = "document") throws -> Bool { try core.files.isEncrypted(path(name)) }

  func protect(_ name: String = "document", for user: String? = "alice", renewsKey: Bool = true) throws {
    try core.files.protectAll(path(name), for: user.map { .user($0) }, renewsKey: renewsKey)
  }

  func encrypt(_ name: String = "document", for user: String = "alice") throws {
    try core.files.encrypt(path(name), for: .user(user))
  }

  /// What one row of one column of the store holds.
  func number(_ sql: String) throws -> Int? {
    try core.refresh().store.read { connection throws(SQLiteError) -> Int? in
      try connection.first(sql) { row in try row.value(0) }
    }
  }

  /// The names in the folder.
  func names() throws -> [String] {
    try DiskFile(opened: open(folder.path, O_RDONLY | O_DIRECTORY), path: folder.path).entries()
  }

  func status(_ name: String = "document") -> NodeStatus? { try? FileLocation(path(name)).status() }
}
