import JSON
import Model

package enum ProtectFileAtPath: Method {
  package static let name = "file.protectFileAtPath"
  package static let summary = "Gives a file an owner."
  package static let details = "As fileProtectionManager.protect, for one file."
  package typealias Params = ProtectParams
  package typealias Result = Bool
  package static let resultSummary = "True; failures are errors."
  package static let errors: [APIError] = ProtectPath.errors.filter { $0 != .partlyDone }
  package static let example = Example(Params(path: .example, account: "alice@contoso.example"), true)
  package static let sdkMembers = [
    "IntuneMAMFile +protectFileAtPath:forIdentity:error:", "IntuneMAMFile +protectFileAtPath:forAccountId:error:",
  ]
}

package enum DecryptFileAtPath: Method {
  package static let name = "file.decryptFileAtPath"
  package static let summary = "Decrypts a file in place, even if policy requires encryption."
  package static let details = """
    The plain file belongs to the same owner; protectFileAtPath encrypts it again where required. Commit point: the \
    moment the plain file gets its name.
    """
  package typealias Params = PathParams
  package typealias Result = Bool
  package static let resultSummary = "True; failures are errors."
  package static let errors: [APIError] = DecryptFile.errors
  package static let example = Example(Params(path: .example), true)
  package static let sdkMembers = ["IntuneMAMFile +decryptFileAtPath:error:"]
}

package enum IsFileEncryptedAtPath: Method {
  package static let name = "file.isFileEncryptedAtPath"
  package static let summary = IsFileEncrypted.summary
  package typealias Params = PathParams
  package typealias Result = Bool
  package static let resultSummary = IsFileEncrypted.resultSummary
  package static let errors: [APIError] = IsFileEncrypted.errors
  package static let example = Example(Params(path: .example), true)
  package static let sdkMembers = ["IntuneMAMFile +isFileEncryptedAtPath:"]
}

package enum ProtectionInfoForFileAtPath: Method {
  package static let name = "file.protectionInfoForFileAtPath"
  package static let summary = "Whom a file belongs to."
  package static let details = "Needs no key."
  package typealias Params = PathParams
  package typealias Result = FileProtectionInfo?
  package static let resultSummary = FileOwnerInfo.resultSummary
  package static let errors: [APIError] = .reading + .policy
  package static let example = Example<Params, Result>(Params(path: .example), .example)
  package static let sdkMembers = ["IntuneMAMFile +protectionInfoForFileAtPath:"]
}
