import JSON
import MAM
import Model

enum ProtectPath: WorkMethod {
  static let name = "fileProtectionManager.protect"
  static let summary = "Gives a file, or every file below a folder, an owner."
  static let details = """
    A file is encrypted when the owner's policy requires it (policy.isFileEncryptionRequired), else it is plain and \
    owned: one that is encrypted then becomes plain. Encrypts anew what is encrypted for somebody else, with an older \
    key, or with the key of encryptFile. Content is replaced at once: file owner, mode, times, ACL and other \
    attributes stay, and what cannot keep one of them is refused. Symbolic links are never followed; below a folder \
    links, pipes, sockets and devices are left out. A file with several names is refused. Free blocks of the disk may \
    still hold the old content. Commit point: the first file that is renamed or marked. A folder that is stopped \
    after it, or of which some files fail, ends with partlyDone; the others are done.
    """
  typealias Params = ProtectParams
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .invalidArguments, .failedToEncryptData, .failedToDecryptData, .partlyDone]
    + .replacement + .keys + [.policyRequired]
  static let example = Example(Params(path: .example, account: "alice@contoso.example"), Nothing())
  static let sdkMembers = [
    "IntuneMAMFileProtectionManager -protect:identity:", "IntuneMAMFileProtectionManager -protect:accountId:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.files.protectAll(params.path, for: params.account, renewsKey: true)
    return Nothing()
  }
}

enum VerifyAndProtectPath: WorkMethod {
  static let name = "fileProtectionManager.verifyAndProtect"
  static let summary = "Gives a file, or every file below a folder, an owner where it has not got it yet."
  static let details = """
    As protect, but a file that is encrypted for the owner is left as it is, whatever its key.
    """
  typealias Params = ProtectParams
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = ProtectPath.errors
  static let example = Example(Params(path: .exampleFolder, account: "alice@contoso.example"), Nothing())
  static let sdkMembers = [
    "IntuneMAMFileProtectionManager -verifyAndProtect:identity:",
    "IntuneMAMFileProtectionManager -verifyAndProtect:accountId:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.core.files.protectAll(params.path, for: params.account, renewsKey: false)
    return Nothing()
  }
}

enum EncryptFile: WorkMethod {
  static let name = "fileProtectionManager.encryptFile"
  static let summary = "Encrypts a file so that all managed apps of an account on this device can read it."
  static let details = "For file providers. Whatever the policy says; else as protect."
  struct Params: Record {
    var path: AbsolutePath
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("path", \.path, "The file; an absolute path."),
      Field(required: "account", \.account, "The owner, which must be managed."))
  }
  typealias Result = Bool
  static let resultSummary = "True; failures are errors."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .invalidArguments, .failedToEncryptData, .failedToDecryptData] + .replacement + .keys
    + [.policyRequired]
  static let example = Example(Params(path: .example, account: "alice@contoso.example"), true)
  static let sdkMembers = [
    "IntuneMAMFileProtectionManager -encryptFile:forIdentity:",
    "IntuneMAMFileProtectionManager -encryptFile:forIdentity:error:",
    "IntuneMAMFileProtectionManager -encryptFile:forAccountId:",
    "IntuneMAMFileProtectionManager -encryptFile:forAccountId:error:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Bool {
    try connection.core.files.encrypt(params.path, for: params.account)
    return true
  }
}

enum DecryptFile: WorkMethod {
  static let name = "fileProtectionManager.decryptFile"
  static let summary = "Decrypts a file in place or to a copy."
  static let details = """
    The plain file belongs to the same owner. One that is owned and plain stays as it is, or is copied. The copy must \
    not be there yet, and has the mode of the original. Commit point: the moment the plain file gets its name.
    """
  struct Params: Record {
    var path: AbsolutePath
    var toPath: AbsolutePath?
    static let fields = Fields(
      Self.init, Field("path", \.path, "The file; an absolute path."),
      Field("toPath", \.toPath, "Where the plain copy goes; without it the file itself is replaced."))
  }
  typealias Result = Bool
  static let resultSummary = "True; failures are errors."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .failedToDecryptData, .dataNotProtected] + .replacement + .keys + [.policyRequired]
  static let example = Example(Params(path: .example, toPath: .exampleCopy), true)
  static let sdkMembers = [
    "IntuneMAMFileProtectionManager -decryptFile:", "IntuneMAMFileProtectionManager -decryptFile:error:",
    "IntuneMAMFileProtectionManager -decryptFile:toCopyPath:",
    "IntuneMAMFileProtectionManager -decryptFile:toCopyPath:error:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Bool {
    try connection.core.files.decrypt(params.path, to: params.toPath)
    return true
  }
}

enum IsFileEncrypted: WorkMethod {
  static let name = "fileProtectionManager.isFileEncrypted"
  static let summary = "Is this file encrypted?"
  typealias Params = PathParams
  typealias Result = Bool
  static let resultSummary = "Whether it is; false for what is no regular file."
  static let errors: [ErrorCode] = .reading + [.policyRequired]
  static let example = Example(Params(path: .example), true)
  static let sdkMembers = ["IntuneMAMFileProtectionManager -isFileEncrypted:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Bool {
    try connection.core.files.isEncrypted(params.path)
  }
}

/// A file or folder, and whom it is to belong to.
struct ProtectParams: Record {
  var path: AbsolutePath
  var account: AccountReference?
  static let fields = Fields(
    Self.init, Field("path", \.path, "The file or folder; an absolute path."),
    Field("account", \.account, "The owner; null and \"\" are no user."))
}

/// One file.
struct PathParams: Record {
  var path: AbsolutePath
  static let fields = Fields(Self.init, Field("path", \.path, "The file; an absolute path."))
}
