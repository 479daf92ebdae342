import Cryptography
import Model
import TestSupport

@testable import Vault

/// A folder with the keys of one device, and of its apps the folders alone.
struct DeviceFolder: KeyHome {
  /// There as long as somebody uses it.
  let temporary: TemporaryFolder
  let appId: String

  var root: String { temporary.path }
  var keys: String { root + "/keys" }
  var epochPage: String { keys + "/epoch" }
  var app: String { root + "/apps/" + appId }

  func create() throws(MAMError) {
    for folder in [keys, root + "/apps", app] { try Folder.make(folder, in: root) }
  }

  func hasApp(_ appId: String) -> Bool { Folder.exists(root + "/apps/" + appId) }
}

/// A device of its own, and processes that work on it.
final class Device: Sendable {
  static let app = "com.example.host"
  private let temporary = TemporaryFolder()

  init() throws {
    try state().create()
  }

  func state(_ app: String = Device.app) -> DeviceFolder { DeviceFolder(temporary: temporary, appId: app) }

  /// Nothing is shared between two of these but the folder.
  func keys(_ app: String = Device.app, secret: RootSecretSource = .keyFile) throws -> KeyStore {
    KeyStore(state(app), secret: secret, epoch: try EpochPage(path: state(app).epochPage))
  }

  func protection(_ app: String = Device.app) throws -> DataProtection { DataProtection(keys: try keys(app)) }

  var storeFile: String { state().keys + "/store.key" }
  var rootFile: String { state().keys + "/root.key" }

  /// Each `<epoch>.key` below the key folder.
  func identityFiles() throws -> [String] {
    try Folder.names(state().keys).sorted().flatMap { folder -> [String] in
      let path = state().keys + "/" + folder
      guard Folder.exists(path) else { return [] }
      return try Folder.names(path).filter { $0.hasSuffix(".key") }.sorted().map { path + "/" + $0 }
    }
  }
}

extension DataOwner {
  static let alice = DataOwner(
    accountId: "0f3d2c1b-1111-4222-8333-444455556666", tenantId: "7a6b5c4d-aaaa-4bbb-8ccc-ddddeeeeffff",
    identity: "alice@contoso.example")
  static let bob = DataOwner(
    accountId: "99999999-1111-4222-8333-444455556666", tenantId: nil, identity: "bob@contoso.example")
  static let noUser = DataOwner(accountId: "", tenantId: nil, identity: "")
}

/// Calls that may wait for the disk always answer.
extension DataProtection {
  func protect(
    _ bytes: [UInt8], for owner: DataOwner, encrypting: Bool, forThisApp: Bool = false
  ) throws(MAMError) -> [UInt8] {
    try protect(bytes, for: owner, encrypting: encrypting, forThisApp: forThisApp, .disk).get()
  }

  func unprotect(_ bytes: [UInt8], canRead: (DataOwner) -> Bool = { _ in true }) throws(MAMError) -> [UInt8] {
    try unprotect(bytes, .disk, canRead: canRead).get()
  }
}

extension SecretBytes {
  convenience init(_ text: String) throws {
    try self.init(capacity: text.utf8.count) { target in
      target.copyBytes(from: text.utf8)
      return target.count
    }
  }
}
