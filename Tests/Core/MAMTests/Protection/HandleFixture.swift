import Glibc
import Model
import TestSupport

@testable import MAM
@testable import Vault

/// A core that manages alice, whose policy requires encryption or not, and handles of its files.
struct HandleFixture {
  let fixture = CoreFixture()
  let core: Core

  init(encrypting: Bool = true, _ flags: String...) throws {
    let value = encrypting ? "whenDeviceLocked" : "useDeviceSettings"
    fixture.tenant.writePolicy(#""appDataEncryptionType": "\#(value)""#)
    core = try fixture.core()
    _ = try core.enroll("alice")
  }

  func path(_ name: String = "document") throws -> AbsolutePath {
    AbsolutePath(fixture.folder.file(name)) ?? .root
  }

  func open(_ flags: FileFlag..., name: String = "document", core: Core? = nil) throws -> FileHandle {
    try (core ?? self.core).files.open(path(name), flags)
  }

  func create(_ name: String = "document", for account: AccountReference? = nil) throws -> FileHandle {
    try core.files.open(path(name), [.readWrite, .create, .truncate], mode: 0o600, for: account)
  }

  /// Those of all accounts and apps.
  func keyFiles() throws -> [String] {
    let keys = fixture.state.keys
    return try Folder.names(keys).filter { Folder.exists("\(keys)/\($0)") }.flatMap { folder in
      try Folder.names("\(keys)/\(folder)").filter { $0.hasSuffix(".key") }.map { "\(keys)/\(folder)/\($0)" }
    }
  }

  func disk(_ name: String = "document") -> [UInt8] { readFile(fixture.folder.file(name)) ?? [] }
}

extension EncryptedFile {
  /// As if it had come so far.
  mutating func replaceRecord(_ change: (inout FileRecord) -> Void) throws {
    change(&record)
    sealedRecord = try cipher.seal(record)
    try sealedRecord.withRawBytes { try file.write($0, at: FileLayout.recordOffset) }
  }
}

extension FileHandle {
  func content() throws(MAMError) -> [UInt8] { try read(Int(try size()), at: 0) }
}
