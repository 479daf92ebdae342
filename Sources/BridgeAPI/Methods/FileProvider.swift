import JSON
import Model

package enum FileOwnerInfo: Method {
  package static let name = "fileProtectionManager.protectionInfo"
  package static let summary = "Whom a file, or an item or enumerator of a file provider, belongs to."
  package static let details = "Exactly one of path, item and enumerator is given. Needs no key."
  package struct Params: Record {
    package var path: AbsolutePath?
    package var item: String?
    package var enumerator: String?
    package static let fields = Fields(
      Self.init(path:item:enumerator:), Field("path", \.path, "A file; an absolute path."),
      Field("item", \.item, "The host's name of an item, as given to protectFileProviderItem."),
      Field(
        "enumerator", \.enumerator,
        "The host's name of an enumerator, as given to setFileProviderEnumeratorAccount."))

    package init(path: AbsolutePath? = nil, item: String? = nil, enumerator: String? = nil) {
      self.path = path
      self.item = item
      self.enumerator = enumerator
    }
  }
  package typealias Result = FileProtectionInfo?
  package static let resultSummary = "The owner; null for what was given none, and where there is no regular file."
  package static let errors: [APIError] = [.invalidArguments] + .reading + .policy
  package static let example = Example<Params, Result>(Params(path: .example), .example)
  package static let sdkMembers = [
    "IntuneMAMFileProtectionInfo identity", "IntuneMAMFileProtectionInfo accountId",
    "IntuneMAMFileProtectionManager -protectionInfo:",
  ]
}

package enum SetFileProviderEnumeratorAccount: Method {
  package static let name = "fileProtectionManager.setFileProviderEnumeratorAccount"
  package static let summary = "Says for whom an enumerator of a file provider lists items."
  package static let details = "Items are given their owners one by one. Commit point: the store's transaction."
  package struct Params: Record {
    package var enumerator: String
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(enumerator:account:), Field("enumerator", \.enumerator, "The host's name for it; 4 KiB at most."),
      Field(required: "account", \.account, "The owner; \"\" is no user."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = [.invalidArguments] + .policy
  package static let example = Example(
    Params(enumerator: "root-container", account: "alice@contoso.example"), Nothing())
  package static let sdkMembers = [
    "IntuneMAMFileProtectionManager -setIdentity:onFileProviderEnumerator:",
    "IntuneMAMFileProtectionManager -setAccountId:onFileProviderEnumerator:",
  ]
}

package enum ProtectFileProviderItem: Method {
  package static let name = "fileProtectionManager.protectFileProviderItem"
  package static let summary = "Says whom an item of a file provider belongs to."
  package static let details = "Commit point: the store's transaction."
  package struct Params: Record {
    package var item: String
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(item:account:), Field("item", \.item, "The host's name for it; 4 KiB at most."),
      Field(required: "account", \.account, "The owner; \"\" is no user."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = SetFileProviderEnumeratorAccount.errors
  package static let example = Example(Params(item: "document-17", account: "alice@contoso.example"), Nothing())
  package static let sdkMembers = ["IntuneMAMFileProtectionManager -protectFileProviderItem:forAccountId:"]
}

extension FileProtectionInfo {
  static let example = FileProtectionInfo(
    accountId: Account.example.accountId, identity: Account.example.identity, isEncrypted: true, recordedIn: .header)
}
