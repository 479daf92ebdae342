import Cryptography

/// Where the secret that the whole store hangs on comes from.
package enum RootSecretSource: Sendable {
  /// 32 random bytes in `keys/root.key`, made with the store.
  case keyFile
  /// Turned into the secret by scrypt: some 100 ms, once a process.
  case passphrase(SecretBytes)

  var mode: StoreKeyHeader.Mode {
    switch self {
    case .keyFile: .keyFile
    case .passphrase: .passphrase
    }
  }
}
