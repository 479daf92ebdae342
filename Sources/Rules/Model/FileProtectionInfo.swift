import JSON

/// Where the owner of a file is recorded.
package enum FileOwnerPlace: String, CaseIterable, Hashable, Sendable, NamedValue {
  /// In the header of the encrypted file.
  case header
  /// In an extended attribute of the file.
  case attribute
  /// Only in this app's store: the file system has no extended attributes, or the owner is that of an item or
  /// enumerator of a file provider.
  case store
}

/// The owner of a file.
package struct FileProtectionInfo: Hashable, Sendable {
  package var accountId: String?
  package var identity: String?
  package var isEncrypted: Bool
  package var recordedIn: FileOwnerPlace

  package init(accountId: String?, identity: String?, isEncrypted: Bool, recordedIn: FileOwnerPlace) {
    self.accountId = accountId
    self.identity = identity
    self.isEncrypted = isEncrypted
    self.recordedIn = recordedIn
  }
}

extension FileProtectionInfo: Record {
  package static let fields = Fields(
    Self.init(accountId:identity:isEncrypted:recordedIn:),
    Field("accountId", \.accountId, "The owner's Entra object id; null if unknown, \"\" for no user."),
    Field("identity", \.identity, "The owner's user principal name; null if unknown, \"\" for no user."),
    Field("isEncrypted", \.isEncrypted, "Whether the file is encrypted."),
    Field(
      "recordedIn", \.recordedIn,
      """
      Where the owner is recorded: in the file's header or an attribute, which move with the file, or only in this \
      app's store.
      """))
}

/// How to open a file, as in open(2). Give at most one of the first three; without any of them, the file is opened with
/// `readWrite`.
package enum FileFlag: String, CaseIterable, Hashable, Sendable, NamedValue {
  case readOnly, writeOnly, readWrite, append, create, truncate, exclusive
}
