import MAM
import Model

enum ProtectFileAtPath: WorkMethod {
  static let name = "file.protectFileAtPath"
  static let summary = "Set the owner of a file."
  static let details = """
    Like fileProtectionManager.protect, for a single file.

    \(FileErrorLevels.details)
    """
  typealias Params = ProtectParams
  typealias Result = Bool
  static let resultSummary = "True; a failure is an error."
  static let errors: [ErrorCode] = ProtectPath.errors.filter { $0 != .partlyDone } + .fileProtection
  static let example = Example(Params(path: .example, account: "alice@contoso.example"), true)
  static let sdkMembers = [
    "IntuneMAMFile +protectFileAtPath:forIdentity:error:", "IntuneMAMFile +protectFileAtPath:forAccountId:error:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Bool {
    try connection.inFileProtectionDomain { () throws(MAMError) in
      try connection.core.files.protect(params.path, for: params.account)
    }
    return true
  }
}

enum DecryptFileAtPath: WorkMethod {
  static let name = "file.decryptFileAtPath"
  static let summary = "Decrypt a file in place, even if the policy requires encryption."
  static let details = """
    The plain file keeps its owner; protectFileAtPath encrypts it again if required. Commit point: when the plain file \
    gets its name.

    \(FileErrorLevels.details)
    """
  typealias Params = PathParams
  typealias Result = Bool
  static let resultSummary = "True; a failure is an error."
  static let errors: [ErrorCode] = DecryptFile.errors
  static let example = Example(Params(path: .example), true)
  static let sdkMembers = ["IntuneMAMFile +decryptFileAtPath:error:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Bool {
    try connection.inFileProtectionDomain { () throws(MAMError) in
      try connection.core.files.decrypt(params.path, to: nil)
    }
    return true
  }
}

enum IsFileEncryptedAtPath: WorkMethod {
  static let name = "file.isFileEncryptedAtPath"
  static let summary = IsFileEncrypted.summary
  typealias Params = PathParams
  typealias Result = Bool
  static let resultSummary = IsFileEncrypted.resultSummary
  static let errors: [ErrorCode] = IsFileEncrypted.errors
  static let example = Example(Params(path: .example), true)
  static let sdkMembers = ["IntuneMAMFile +isFileEncryptedAtPath:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Bool {
    try connection.core.files.isEncrypted(params.path)
  }
}

enum ProtectionInfoForFileAtPath: WorkMethod {
  static let name = "file.protectionInfoForFileAtPath"
  static let summary = "Return the owner of a file."
  static let details = "Works without the file's key."
  typealias Params = PathParams
  typealias Result = FileProtectionInfo?
  static let resultSummary = FileOwnerInfo.resultSummary
  static let errors: [ErrorCode] = .reading + [.policyRequired]
  static let example = Example<Params, Result>(Params(path: .example), .example)
  static let sdkMembers = ["IntuneMAMFile +protectionInfoForFileAtPath:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> FileProtectionInfo? {
    try connection.core.files.protectionInfo(params.path)
  }
}
