import Cryptography
import Glibc
import Model
import Support

/// The source of the root secret, which protects the whole store.
package struct RootSecretSource: Sendable {
  enum Kind: Sendable {
    /// Without a path, `keys/root.key` in the state folder.
    case keyFile(path: String?)
    case passphrase(SecretBytes)
    case command(KeyCommand)
  }

  let kind: Kind
  /// The cost of testing a passphrase. It is stored with the keys, so later versions can raise it.
  package var stretching = Scrypt.Parameters.passphrase
  /// Whether a new passphrase may be short.
  package var allowsWeakPassphrase = false
  private static let minimumPassphrase = 8

  private init(kind: Kind) {
    self.kind = kind
  }

  /// 32 random bytes in `keys/root.key` in the state folder, created with the store.
  package static let keyFile = RootSecretSource(kind: .keyFile(path: nil))

  /// Like `keyFile`, in a file elsewhere. The file is created with the store if it is missing; its folder must exist.
  package static func keyFile(at path: String) -> RootSecretSource { RootSecretSource(kind: .keyFile(path: path)) }

  /// Derives the secret with scrypt: about 600 ms, once per process.
  package static func passphrase(_ text: SecretBytes) -> RootSecretSource {
    RootSecretSource(kind: .passphrase(text))
  }

  /// The first line from the descriptor, without its newline; the bytes after it stay unread. Waits up to 60 s. Throws
  /// 6003 if there is no line, or it is longer than 1 KiB.
  package static func passphrase(firstLineOf descriptor: Int32) throws(MAMError) -> RootSecretSource {
    .passphrase(try SecretBytes(firstLineOf: descriptor))
  }

  /// The output of a program, at least 32 bytes, without one trailing newline. The words are its path, or a name that
  /// is looked up in PATH, and its arguments; no shell is used. It runs once per process, when keys are first needed.
  package static func command(_ words: [String]) -> RootSecretSource {
    RootSecretSource(kind: .command(KeyCommand(words: words)))
  }

  /// Checks a new secret. A secret that opens an existing store is not checked.
  func checkStrength() throws(MAMError) {
    guard case .passphrase(let passphrase) = kind, !allowsWeakPassphrase else { return }
    // Count characters: all bytes of a UTF-8 character except the first begin with the bits 10.
    let count = passphrase.withRawBytes { bytes in bytes.count { $0 & 0xC0 != 0x80 } }
    guard count < Self.minimumPassphrase else { return }
    throw MAMError(
      .noSecret, "the passphrase is too short: it has \(count) characters, but needs \(Self.minimumPassphrase)",
      hint: "Choose a longer passphrase, or pass --weak-passphrase")
  }

  var mode: StoreKeyHeader.Mode {
    switch kind {
    case .keyFile: .keyFile
    case .passphrase: .passphrase
    case .command: .command
    }
  }
}

/// The root secret from one source, for stores that use it.
struct RootSecret {
  private let source: RootSecretSource
  private let home: any KeyHome

  init(_ source: RootSecretSource, _ home: any KeyHome) {
    self.source = source
    self.home = home
  }

  /// The key file, if the source is one.
  var file: KeyFile? {
    guard case .keyFile(let path) = source.kind else { return nil }
    return path.map { KeyFile(path: $0, isRoot: true) } ?? Self.standardFile(in: home)
  }

  static func standardFile(in home: any KeyHome) -> KeyFile { KeyFile(path: home.keys + "/root.key", isRoot: true) }

  /// Throws 6002 or 6003 if the store uses another kind of source.
  func secret(for header: StoreKeyHeader) throws(MAMError) -> SecretBytes {
    switch (header.mode, source.kind) {
    case (.keyFile, .keyFile): return try fileSecret()
    case (.passphrase, .passphrase(let passphrase)): return try stretch(passphrase, header)
    case (.command, .command(let command)): return try command.run()
    case (_, .keyFile(path: nil)): throw .noSecret(storeFile, header.mode)
    default: throw .wrongSecret(storeFile, madeWith: header.mode)
    }
  }

  /// Creates the key file if it is missing. If the process is killed before it creates the store, the next start uses
  /// the file. The caller must hold the lock of the key folder.
  func createFile() throws(MAMError) {
    guard let file else { return }
    try checkFolder(of: file)
    guard !Folder.isSame(file.folder, home.keys) else { return try create(file) }
    // Another store may use the same key file at the same time.
    try Folder.withLock(file.folder) { () throws(MAMError) in try create(file) }
  }

  private func checkFolder(of file: KeyFile) throws(MAMError) {
    var status = stat()
    guard stat(file.folder, &status) == 0 else {
      throw errno == ENOENT ? .noKeyFolder(file.path) : .notAKeyFile(file, SystemError.current.text)
    }
    guard NodeStatus(status).kind == .folder else { throw .notAKeyFile(file, "a folder in its path is a file") }
  }

  private func create(_ file: KeyFile) throws(MAMError) {
    guard try file.secret(count: KeyPage.keyLength) == nil else { return }
    try file.create(Self.random())
  }

  static func random() throws(MAMError) -> SecretBytes {
    try MAMError.keys { () throws(CryptographyError) in try SecretBytes.random(count: KeyPage.keyLength) }
  }

  private var storeFile: String { StoreKeyFile(home: home, source: source).file.path }

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
