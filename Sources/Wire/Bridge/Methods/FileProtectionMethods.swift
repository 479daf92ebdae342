import JSON
import MAM
import Model

enum ProtectPath: WorkMethod {
  static let name = "fileProtectionManager.protect"
  static let summary = "Set the owner of a file, or of every file below a folder."
  static let details = """
    If the owner's policy requires encryption (policy.isFileEncryptionRequired), the file is encrypted; if not, it is \
    plain and owned, and an encrypted file is decrypted. A file that is encrypted for another owner, with an older \
    key, or with the key of encryptFile is encrypted again. Content is replaced in one step: the system's owner, mode, \
    times, ACL and other attributes of the file are kept, and a file that cannot keep one of them is refused. Symbolic \
    links are never followed; below a folder, links, pipes, sockets and devices are skipped. A file with several names \
    (hard links) is refused. Free blocks of the disk may still hold the old content. Commit point: when the first file \
    is renamed or marked. If work on a folder is stopped after that, or some of its files fail, the call ends with \
    partlyDone; all other files are done.
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
  static let summary =
    "Set the owner of a file, or of every file below a folder, if it is not already encrypted for that owner."
  static let details =
    "Like protect, except that a file that is already encrypted for the owner is left as it is, whatever its key."
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
  static let summary = "Encrypt a file so that all managed apps of an account on this device can read it."
  static let details = """
    For file providers. Encrypts the file whatever the policy says; otherwise like protect.

    \(FileErrorLevels.details)
    """
  struct Params: Record {
    var path: AbsolutePath
    var account: AccountReference?
    static let fields = Fields(
      Self.init, Field("path", \.path, "The absolute path of the file."),
      Field(required: "account", \.account, "The owner, which must be managed."))
  }
  typealias Result = Bool
  static let resultSummary = "True; a failure is an error."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .invalidArguments, .failedToEncryptData, .failedToDecryptData] + .fileProtection
    + .replacement + .keys + [.policyRequired]
  static let example = Example(Params(path: .example, account: "alice@contoso.example"), true)
  static let sdkMembers = [
    "IntuneMAMFileProtectionManager -encryptFile:forIdentity:",
    "IntuneMAMFileProtectionManager -encryptFile:forIdentity:error:",
    "IntuneMAMFileProtectionManager -encryptFile:forAccountId:",
    "IntuneMAMFileProtectionManager -encryptFile:forAccountId:error:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Bool {
    try connection.inFileProtectionDomain { () throws(MAMError) in
      try connection.core.files.encrypt(params.path, for: params.account)
    }
    return true
  }
}

enum DecryptFile: WorkMethod {
  static let name = "fileProtectionManager.decryptFile"
  static let summary = "Decrypt a file in place or to a copy."
  static let details = """
    The plain file keeps its owner. A file that is owned but plain is left as it is, or copied. The copy must not \
    exist yet, and gets the mode of the original. Commit point: when the plain file gets its name.

    \(FileErrorLevels.details)
    """
  struct Params: Record {
    var path: AbsolutePath
    var toPath: AbsolutePath?
    static let fields = Fields(
      Self.init, Field("path", \.path, "The absolute path of the file."),
      Field("toPath", \.toPath, "The absolute path of the plain copy; without it, the file itself is replaced."))
  }
  typealias Result = Bool
  static let resultSummary = "True; a failure is an error."
  static let errors: [ErrorCode] =
    [.applicationNotManaged, .failedToDecryptData, .dataNotProtected] + .fileProtection + .replacement + .keys
    + [.policyRequired]
  static let example = Example(Params(path: .example, toPath: .exampleCopy), true)
  static let sdkMembers = [
    "IntuneMAMFileProtectionManager -decryptFile:", "IntuneMAMFileProtectionManager -decryptFile:error:",
    "IntuneMAMFileProtectionManager -decryptFile:toCopyPath:",
    "IntuneMAMFileProtectionManager -decryptFile:toCopyPath:error:",
  ]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Bool {
    try connection.inFileProtectionDomain { () throws(MAMError) in
      try connection.core.files.decrypt(params.path, to: params.toPath)
    }
    return true
  }
}

enum IsFileEncrypted: WorkMethod {
  static let name = "fileProtectionManager.isFileEncrypted"
  static let summary = "Report whether a file is encrypted."
  typealias Params = PathParams
  typealias Result = Bool
  static let resultSummary = "Whether the file is encrypted; false if it is not a regular file."
  static let errors: [ErrorCode] = .reading + [.policyRequired]
  static let example = Example(Params(path: .example), true)
  static let sdkMembers = ["IntuneMAMFileProtectionManager -isFileEncrypted:"]

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Bool {
    try connection.core.files.isEncrypted(params.path)
  }
}

extension BridgeConnection {
  /// Encrypts or decrypts a file. At SDK level 21, an error about the file gets a code of the SDK's file protection.
  func inFileProtectionDomain(_ body: () throws(MAMError) -> Void) throws(MAMError) {
    do throws(MAMError) {
      try body()
    } catch {
      throw sdkLevel >= .sdk21 ? error.inFileProtectionDomain : error
    }
  }
}

/// A file or folder, and its new owner.
struct ProtectParams: Record {
  var path: AbsolutePath
  var account: AccountReference?
  static let fields = Fields(
    Self.init, Field("path", \.path, "The absolute path of the file or folder."),
    Field("account", \.account, "The owner; null and \"\" mean no user."))
}

/// The parameters of a method about one file.
struct PathParams: Record {
  var path: AbsolutePath
  static let fields = Fields(Self.init, Field("path", \.path, "The absolute path of the file."))
}

/// How the errors of protecting files depend on the SDK level of the host.
enum FileErrorLevels {
  static let details = """
    At SDK level 21, errors about the data or the file have the codes 1200 to 1207 of the SDK's file protection, and \
    data.cause names the error that the call has at level 19.
    """
}
