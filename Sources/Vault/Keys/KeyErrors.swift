import Cryptography
import Model

extension MAMError {
  static func wrongSecret(_ path: String) -> MAMError {
    MAMError(
      .wrongSecret, "the passphrase or key file is not the one that this store was made with",
      hint: "Give the right passphrase, or put the right key file back", path: path)
  }

  /// The store hangs on another kind of secret than what was given.
  static func wrongSecret(_ path: String, madeWith mode: StoreKeyHeader.Mode) -> MAMError {
    MAMError(.wrongSecret, "the store hangs on \(mode.what)", hint: "Give \(mode.way)", path: path)
  }

  /// No other secret than the default was given.
  static func noSecret(_ path: String, _ mode: StoreKeyHeader.Mode) -> MAMError {
    MAMError(
      .noSecret, "the store hangs on \(mode.what), and none was given", hint: "Give \(mode.way)", path: path)
  }

  static func noKeyFile(_ path: String) -> MAMError {
    MAMError(
      .noSecret, "the store has keys, but its key file is missing",
      hint: "Put it back, or give its place with --key-file; without it nothing that it protects can be read",
      path: path)
  }

  static func noKeyFolder(_ path: String) -> MAMError {
    MAMError(
      .storeUnavailable, "the key file cannot be made: its folder is not there",
      hint: "Make the folder, or give the file another place", path: path)
  }

  package static func noStore(_ path: String) -> MAMError {
    MAMError(
      .noSecret, "no keys have been made here yet, so there is no secret to change",
      hint: "Check --state; the first start makes keys with the secret that it is given", path: path)
  }

  /// Keys are there that only it opens.
  static func lostStoreKey(_ path: String) -> MAMError {
    let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
    return MAMError(
      .damaged, "the store key is missing, and the keys that hang on it are there",
      hint: "Put a copy of it back; or give up all that it protects: rm -r \(folder.shellQuoted)", path: path)
  }

  static func damagedKey(_ path: String) -> MAMError {
    MAMError(
      .damaged, "a key file is damaged",
      hint: "Put a good copy of it back; without it nothing that it protects can be read", path: path)
  }

  /// The mode is not that of a secret.
  static func wrongMode(_ path: String, _ what: String) -> MAMError {
    MAMError(.wrongPermissions, "a key file \(what)", hint: "chmod 600 \(path.shellQuoted)", path: path)
  }

  /// A link, one of several names, or another user's.
  static func notAlone(_ path: String, _ what: String) -> MAMError {
    let (file, copy) = (path.shellQuoted, "\(path).copy".shellQuoted)
    return MAMError(
      .wrongPermissions, "a key file \(what)", hint: "cp \(file) \(copy) && chmod 600 \(copy) && mv \(copy) \(file)",
      path: path)
  }

  static func cannotMakeKey(_ error: CryptographyError) -> MAMError {
    MAMError(.storeUnavailable, "a key cannot be made: \(error)", hint: "Call again")
  }
}

extension StoreKeyHeader.Mode {
  fileprivate var what: String {
    switch self {
    case .keyFile: "a key file"
    case .passphrase: "a passphrase"
    case .command: "a key command"
    }
  }

  fileprivate var way: String {
    switch self {
    case .keyFile: "it with --key-file, or nothing where it lies in the state folder"
    case .passphrase: "it with --passphrase-fd"
    case .command: "it with --key-command"
    }
  }
}

extension String {
  /// As one word of a shell command.
  package var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
