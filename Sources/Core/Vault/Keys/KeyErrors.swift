import Cryptography
import Model

extension MAMError {
  static func wrongSecret(_ path: String) -> MAMError {
    MAMError(
      .wrongSecret, "the root secret is wrong: it does not open the store",
      hint: "Use the right passphrase or key command, or restore the right key file", path: path)
  }

  /// The root secret of the store is of another kind than the given one.
  static func wrongSecret(_ path: String, madeWith mode: StoreKeyHeader.Mode) -> MAMError {
    MAMError(.wrongSecret, "the root secret of the store is \(mode.what)", hint: mode.way, path: path)
  }

  /// No root secret was given, and the store does not use the default one.
  static func noSecret(_ path: String, _ mode: StoreKeyHeader.Mode) -> MAMError {
    MAMError(
      .noSecret, "the root secret of the store is \(mode.what), but none was given", hint: mode.way, path: path)
  }

  static func noKeyFile(_ path: String) -> MAMError {
    MAMError(
      .noSecret, "the store has keys, but its key file is missing",
      hint: "Restore the key file, or name it with --key-file. Without it, the protected data cannot be read",
      path: path)
  }

  /// Something other than a regular file has the path.
  static func notAKeyFile(_ file: KeyFile, _ what: String) -> MAMError {
    let way =
      file.isRoot
      ? "Use the path of a regular file. To read the secret from a program, use --key-command"
      : "Restore the file. Without it, the data that it protects cannot be read"
    return MAMError(
      file.isRoot ? .noSecret : .damaged, "cannot read the key file: \(what)", hint: way, path: file.path)
  }

  static func noKeyFolder(_ path: String) -> MAMError {
    MAMError(
      .storeUnavailable, "cannot create the key file: its folder does not exist",
      hint: "Create the folder, or choose another path for the file", path: path)
  }

  package static func noStore(_ path: String) -> MAMError {
    MAMError(
      .noSecret, "the state folder has no keys yet, so there is no root secret to change",
      hint: "Check --state. The first start creates the keys, with the root secret that it is given", path: path)
  }

  /// Only the missing store key could open the other keys.
  static func lostStoreKey(_ path: String) -> MAMError {
    let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
    return MAMError(
      .damaged, "the store key is missing, but keys that only it can open exist",
      hint: "Restore a copy of it, or give up all protected data: rm -r \(folder.shellQuoted)", path: path)
  }

  static func damagedKey(_ path: String, size: Int, instead count: Int) -> MAMError {
    damagedKey(path, ": it has \(size) bytes instead of \(count)")
  }

  static func damagedKey(_ path: String, _ how: String = "") -> MAMError {
    MAMError(
      .damaged, "a key file is damaged\(how)",
      hint: "Restore a good copy of it. Without it, the data that it protects cannot be read", path: path)
  }

  /// The mode does not suit a secret.
  static func wrongMode(_ path: String, _ what: String) -> MAMError {
    MAMError(.wrongPermissions, "a key file \(what)", hint: "chmod 600 \(path.shellQuoted)", path: path)
  }

  /// A link, a file with several names, or another user's file.
  static func notAlone(_ path: String, _ what: String) -> MAMError {
    let (file, copy) = (path.shellQuoted, "\(path).copy".shellQuoted)
    return MAMError(
      .wrongPermissions, "a key file \(what)", hint: "cp \(file) \(copy) && chmod 600 \(copy) && mv \(copy) \(file)",
      path: path)
  }

  static func cannotMakeKey(_ error: CryptographyError) -> MAMError {
    MAMError(.storeUnavailable, "cannot create a key: \(error)", hint: "Try again")
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
    case .keyFile: "Name it with --key-file, or pass no option if it is in the state folder"
    case .passphrase: "Pass it with --passphrase-fd"
    case .command: "Pass it with --key-command"
    }
  }
}

extension String {
  /// The text as one word of a shell command.
  package var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
