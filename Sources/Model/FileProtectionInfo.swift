import JSON

/// Where a file's owner is written.
public enum FileOwnerPlace: String, CaseIterable, Hashable, Sendable, NamedValue {
  /// In the header of the encrypted file.
  case header
  /// In an extended attribute of the file.
  case attribute
  /// In this app's store alone: the file system has no extended attributes, or it is no file.
  case store
}

/// Whom a file belongs to.
public struct FileProtectionInfo: Hashable, Sendable {
  public var accountId: String?
  public var identity: String?
  public var isEncrypted: Bool
  public var recordedIn: FileOwnerPlace

  public init(accountId: String?, identity: String?, isEncrypted: Bool, recordedIn: FileOwnerPlace) {
    self.accountId = accountId
    self.identity = identity
    self.isEncrypted = isEncrypted
    self.recordedIn = recordedIn
  }
}

extension FileProtectionInfo: Record {
  package static let schemaName: String? = "FileProtectionInfo"
  package static let fields = Fields(
    Self.init(accountId:identity:isEncrypted:recordedIn:),
    Field("accountId", \.accountId, "The owner's Entra object id; null when it is not known, \"\" for no user."),
    Field("identity", \.identity, "The owner's user principal name; null when it is not known, \"\" for no user."),
    Field("isEncrypted", \.isEncrypted, "Whether the file is encrypted."),
    Field(
      "recordedIn", \.recordedIn,
      "Where the owner is written: in the file's header or attribute, which follow it, or in this app's store alone."))
}

/// How a file is opened, as open(2) has it. At most one of the first three; without any it is `readWrite`.
public enum FileFlag: String, CaseIterable, Hashable, Sendable, NamedValue {
  case readOnly, writeOnly, readWrite, append, create, truncate, exclusive
}
