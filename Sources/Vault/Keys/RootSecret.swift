import Cryptography
import Glibc
import Model

/// Where the secret that the whole store hangs on comes from.
public struct RootSecretSource: Sendable {
  enum Kind: Sendable {
    /// Without a path `keys/root.key` of the state folder.
    case keyFile(path: String?)
    case passphrase(SecretBytes)
    case command(KeyCommand)
  }

  let kind: Kind
  /// What it costs to try a passphrase; stored with what is made, so that it may rise.
  package var stretching = Scrypt.Parameters.passphrase
  /// Whether a short passphrase is let through when it is set.
  public var allowsWeakPassphrase = false
  private static let minimumPassphrase = 8

  private init(kind: Kind) {
    self.kind = kind
  }

  /// 32 random bytes in `keys/root.key` of the state folder, made with the store.
  public static let keyFile = RootSecretSource(kind: .keyFile(path: nil))

  /// As `keyFile`, in a file elsewhere. It is made with the store when it is not there; its folder must be.
  public static func keyFile(at path: String) -> RootSecretSource { RootSecretSource(kind: .keyFile(path: path)) }

  /// Turned into the secret by scrypt: some 600 ms, once a process.
  package static func passphrase(_ text: SecretBytes) -> RootSecretSource {
    RootSecretSource(kind: .passphrase(text))
  }

  /// The first line that the descriptor gives, without its newline; what follows it stays unread. Waits for it,
  /// 60 s at most.
  /// Throws 6003 when there is none, or more than 1 KiB of it.
  public static func passphrase(firstLineOf descriptor: Int32) throws(MAMError) -> RootSecretSource {
    .passphrase(try SecretBytes(firstLineOf: descriptor))
  }

  /// What a program writes, at least 32 bytes, less one newline at the end. The words are its path, or a name that is
  /// looked for in PATH, and its arguments; no shell reads them. It is run once a process, when keys are first needed.
  public static func command(_ words: [String]) -> RootSecretSource {
    RootSecretSource(kind: .command(KeyCommand(words: words)))
  }

  /// Of a secret that is about to be set; one that opens a store is as it is.
  func checkStrength() throws(MAMError) {
    guard case .passphrase(let passphrase) = kind, !allowsWeakPassphrase else { return }
    // All but the first byte of a character of UTF-8 begin with the bits 10.
    let count = passphrase.withRawBytes { bytes in bytes.count { $0 & 0xC0 != 0x80 } }
    guard count < Self.minimumPassphrase else { return }
    throw MAMError(
      .noSecret, "the passphrase is too short: it has \(count) characters, and needs \(Self.minimumPassphrase)",
      hint: "Choose a longer one, or pass --weak-passphrase")
  }

  var mode: StoreKeyHeader.Mode {
    switch kind {
    case .keyFile: .keyFile
    case .passphrase: .passphrase
    case .command: .command
    }
  }
}

/// The root secret of one source, for the stores that were made with it.
struct RootSecret {
  private let source: RootSecretSource
  private let home: any KeyHome

  init(_ source: RootSecretSource, _ home: any KeyHome) {
    self.source = source
    self.home = home
  }

  /// Where the source is a key file.
  var file: KeyFile? {
    guard case .keyFile(let path) = source.kind else { return nil }
    return path.map { KeyFile(path: $0) } ?? Self.standardFile(in: home)
  }

  static func standardFile(in home: any KeyHome) -> KeyFile { KeyFile(path: home.keys + "/root.key") }

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
    guard !Folder.isSame(file.folder, home.keys) else { return try create(file) }
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
