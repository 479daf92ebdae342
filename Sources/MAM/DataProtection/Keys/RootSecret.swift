import Cryptography
import Glibc
import Model

/// The root secret of one source, for the stores that were made with it.
struct RootSecret {
  private let source: RootSecretSource
  private let folder: StateFolder

  init(_ source: RootSecretSource, _ folder: StateFolder) {
    self.source = source
    self.folder = folder
  }

  /// Where the source is a key file.
  var file: KeyFile? {
    guard case .keyFile(let path) = source.kind else { return nil }
    return path.map { KeyFile(path: $0) } ?? Self.standardFile(in: folder)
  }

  static func standardFile(in folder: StateFolder) -> KeyFile { KeyFile(path: folder.keys + "/root.key") }

  /// Throws 6002 and 6003 where the store was made with a source of another kind.
  func secret(for header: StoreKeyHeader) throws(MAMError) -> SecretBytes {
    switch (header.mode, source.kind) {
    case (.keyFile, .keyFile): return try fileSecret()
    case (.passphrase, .passphrase(let passphrase)): return try stretch(passphrase, header)
    case (.command, .command(let command)): return try command.run()
    case (_, .keyFile(path: nil)): throw .noSecret(storeFile, header.mode)
    default: throw .wrongSecret(storeFile, madeWith: header.mode)
    }
  }

  /// Where a file is missing, makes it. A process killed before it made the store leaves one that serves as well. The
  /// caller holds the lock of the key folder.
  func createFile() throws(MAMError) {
    guard let file else { return }
    guard access(file.folder, F_OK) == 0 else { throw .noKeyFolder(file.path) }
    guard !Folder.isSame(file.folder, folder.keys) else { return try create(file) }
    // Another store may take the same file at the same time.
    try Folder.withLock(file.folder) { () throws(MAMError) in try create(file) }
  }

  private func create(_ file: KeyFile) throws(MAMError) {
    guard try file.secret(count: KeyPage.keyLength) == nil else { return }
    try file.create(Self.random())
  }

  static func random() throws(MAMError) -> SecretBytes {
    try MAMError.keys { () throws(CryptographyError) in try SecretBytes.random(count: KeyPage.keyLength) }
  }

  private var storeFile: String { StoreKeyFile(folder: folder, source: source).file.path }

  private func fileSecret() throws(MAMError) -> SecretBytes {
    let path = file?.path ?? storeFile
    guard let secret = try file?.secret(count: KeyPage.keyLength) else { throw .noKeyFile(path) }
    return secret
  }

  private func stretch(_ passphrase: SecretBytes, _ header: StoreKeyHeader) throws(MAMError) -> SecretBytes {
    do throws(CryptographyError) {
      return try Scrypt.derive(
        passphrase, salt: header.salt, parameters: header.scrypt, count: KeyPage.keyLength)
    } catch {
      throw error.reason == .invalidParameters ? .damagedKey(storeFile) : .cannotMakeKey(error)
    }
  }
}
