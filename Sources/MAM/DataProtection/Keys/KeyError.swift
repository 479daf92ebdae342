import Cryptography

extension MAMError {
  static func wrongSecret(_ path: String) -> MAMError {
    MAMError(
      .wrongSecret, "the passphrase or key file is not the one that this store was made with",
      hint: "Give the right passphrase, or put the right key file back", path: path)
  }

  static func noSecret(_ path: String, _ what: String) -> MAMError {
    MAMError(
      .noSecret, "the store has keys, but \(what)",
      hint: "Give what the store was made with; without it nothing that it protects can be read", path: path)
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

extension String {
  /// As one word of a shell command.
  fileprivate var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }
}
