import Cryptography

/// Where the secret that the whole store hangs on comes from.
public struct RootSecretSource: Sendable {
  enum Kind: Sendable {
    /// Without a path `keys/root.key` of the state folder.
    case keyFile(path: String?)
    case passphrase(SecretBytes)
    case command(KeyCommand)
  }

  let kind: Kind

  /// 32 random bytes in `keys/root.key` of the state folder, made with the store.
  public static let keyFile = RootSecretSource(kind: .keyFile(path: nil))

  /// As `keyFile`, in a file elsewhere. It is made with the store when it is not there; its folder must be.
  public static func keyFile(at path: String) -> RootSecretSource { RootSecretSource(kind: .keyFile(path: path)) }

  /// Turned into the secret by scrypt: some 100 ms, once a process.
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

  var mode: StoreKeyHeader.Mode {
    switch kind {
    case .keyFile: .keyFile
    case .passphrase: .passphrase
    case .command: .command
    }
  }
}
