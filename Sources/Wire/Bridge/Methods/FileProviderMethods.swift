import JSON
import MAM
import Model

enum FileOwnerInfo: WorkMethod {
  static let name = "fileProtectionManager.protectionInfo"
  static let summary = "Return the owner of a file, or of an item or enumerator of a file provider."
  static let details = "Give exactly one of path, item and enumerator. Works without the file's key."
  struct Params: Record {
    var path: AbsolutePath?
    var item: String?
    var enumerator: String?
    static let fields = Fields(
      Self.init, Field("path", \.path, "The absolute path of a file."),
      Field("item", \.item, "The host's name for an item, as given to protectFileProviderItem."),
      Field(
        "enumerator", \.enumerator, "The host's name for an enumerator, as given to setFileProviderEnumeratorAccount."))
  }
  typealias Result = FileProtectionInfo?
  static let resultSummary = "The owner; null if none was set, or if the path is not a regular file."
  static let errors: [ErrorCode] = [.invalidArguments] + .reading + [.policyRequired]
  static let example = Example<Params, Result>(Params(path: .example), .example)
  static let sdkMembers = [
    "IntuneMAMFileProtectionInfo identity", "IntuneMAMFileProtectionInfo accountId",
    "IntuneMAMFileProtectionManager -protectionInfo:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> FileProtectionInfo? {
    switch (params.path, params.item, params.enumerator) {
    case (let path?, nil, nil): try connection.core.files.protectionInfo(path)
    case (nil, let item?, nil): try connection.core.providerOwners.protectionInfo(of: .item(item))
    case (nil, nil, let enumerator?): try connection.core.providerOwners.protectionInfo(of: .enumerator(enumerator))
    default: throw MAMError(.invalidArguments, "exactly one of path, item and enumerator must be given")
    }
  }
}

enum SetFileProviderEnumeratorAccount: WorkMethod {
  static let name = "fileProtectionManager.setFileProviderEnumeratorAccount"
  static let summary = "Set the account for which an enumerator of a file provider lists items."
  static let details = """
    This does not set the owners of the items; protectFileProviderItem sets each of them. Commit point: the store \
    transaction.
    """
  struct Params: Record {
    var enumerator: String
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("enumerator", \.enumerator, "The host's name for the enumerator; at most 4 KiB."),
      Field(required: "account", \.account, "The owner; \"\" means no user."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.invalidArguments, .policyRequired]
  static let example = Example(
    Params(enumerator: "root-container", account: "alice@contoso.example"), Nothing())
  static let sdkMembers = [
    "IntuneMAMFileProtectionManager -setIdentity:onFileProviderEnumerator:",
    "IntuneMAMFileProtectionManager -setAccountId:onFileProviderEnumerator:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.providerOwners.setOwner(of: .enumerator(params.enumerator), params.account)
    return Nothing()
  }
}

enum ProtectFileProviderItem: WorkMethod {
  static let name = "fileProtectionManager.protectFileProviderItem"
  static let summary = "Set the owner of an item of a file provider."
  static let details = "Commit point: the store transaction."
  struct Params: Record {
    var item: String
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("item", \.item, "The host's name for the item; at most 4 KiB."),
      Field(required: "account", \.account, "The owner; \"\" means no user."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = SetFileProviderEnumeratorAccount.errors
  static let example = Example(Params(item: "document-17", account: "alice@contoso.example"), Nothing())
  static let sdkMembers = ["IntuneMAMFileProtectionManager -protectFileProviderItem:forAccountId:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.providerOwners.setOwner(of: .item(params.item), params.account)
    return Nothing()
  }
}
