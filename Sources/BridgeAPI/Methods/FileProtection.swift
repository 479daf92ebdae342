import JSON
import Model

/// A file or folder, and whom it is to belong to.
package struct ProtectParams: Record {
  package var path: AbsolutePath
  package var account: AccountReference?
  package static let fields = Fields(
    Self.init(path:account:), Field("path", \.path, "The file or folder; an absolute path."),
    Field("account", \.account, "The owner; null and \"\" are no user."))

  package init(path: AbsolutePath, account: AccountReference? = nil) {
    self.path = path
    self.account = account
  }
}

package enum ProtectPath: Method {
  package static let name = "fileProtectionManager.protect"
  package static let summary = "Gives a file, or every file below a folder, an owner."
  package static let details = """
    A file is encrypted when the owner's policy requires it (policy.isFileEncryptionRequired), else it is plain and \
    owned: one that is encrypted then becomes plain. Encrypts anew what is encrypted for somebody else, with an older \
    key, or with the key of encryptFile. Content is replaced at once: file owner, mode, times, ACL and other \
    attributes stay, and what cannot keep one of them is refused. Symbolic links are never followed; below a folder \
    links, pipes, sockets and devices are left out. A file with several names is refused. Free blocks of the disk may \
    still hold the old content. Commit point: the first file that is renamed or marked. A folder that is stopped \
    after it, or of which some files fail, ends with partlyDone; the others are done.
    """
  package typealias Params = ProtectParams
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] =
    [.applicationNotManaged, .failedToEncryptData, .failedToDecryptData, .partlyDone] + .replacement + .keys + .policy
  package static let example = Example(Params(path: .example, account: "alice@contoso.example"), Nothing())
  package static let sdkMembers = [
    "IntuneMAMFileProtectionManager -protect:identity:", "IntuneMAMFileProtectionManager -protect:accountId:",
  ]
}

package enum VerifyAndProtectPath: Method {
  package static let name = "fileProtectionManager.verifyAndProtect"
  package static let summary = "Gives a file, or every file below a folder, an owner where it has not got it yet."
  package static let details = """
    As protect, but a file that is encrypted for the owner is left as it is, whatever its key.
    """
  package typealias Params = ProtectParams
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = ProtectPath.errors
  package static let example = Example(Params(path: .exampleFolder, account: "alice@contoso.example"), Nothing())
  package static let sdkMembers = [
    "IntuneMAMFileProtectionManager -verifyAndProtect:identity:",
    "IntuneMAMFileProtectionManager -verifyAndProtect:accountId:",
  ]
}

package enum EncryptFile: Method {
  package static let name = "fileProtectionManager.encryptFile"
  package static let summary = "Encrypts a file so that all managed apps of an account on this device can read it."
  package static let details = "For file providers. Whatever the policy says; else as protect."
  package struct Params: Record {
    package var path: AbsolutePath
    package var account: AccountReference?
    package static let fields = Fields(
      Self.init(path:account:), Field("path", \.path, "The file; an absolute path."),
      Field(required: "account", \.account, "The owner, which must be managed."))
  }
  package typealias Result = Bool
  package static let resultSummary = "True; failures are errors."
  package static let errors: [APIError] =
    [.applicationNotManaged, .invalidArguments, .failedToEncryptData, .failedToDecryptData] + .replacement + .keys
    + .policy
  package static let example = Example(Params(path: .example, account: "alice@contoso.example"), true)
  package static let sdkMembers = [
    "IntuneMAMFileProtectionManager -encryptFile:forIdentity:",
    "IntuneMAMFileProtectionManager -encryptFile:forIdentity:error:",
    "IntuneMAMFileProtectionManager -encryptFile:forAccountId:",
    "IntuneMAMFileProtectionManager -encryptFile:forAccountId:error:",
  ]
}

package enum DecryptFile: Method {
  package static let name = "fileProtectionManager.decryptFile"
  package static let summary = "Decrypts a file in place or to a copy."
  package static let details = """
    The plain file belongs to the same owner. One that is owned and plain stays as it is, or is copied. The copy must \
    not be there yet, and has the mode of the original. Commit point: the moment the plain file gets its name.
    """
  package struct Params: Record {
    package var path: AbsolutePath
    package var toPath: AbsolutePath?
    package static let fields = Fields(
      Self.init(path:toPath:), Field("path", \.path, "The file; an absolute path."),
      Field("toPath", \.toPath, "Where the plain copy goes; without it the file itself is replaced."))
  }
  package typealias Result = Bool
  package static let resultSummary = "True; failures are errors."
  package static let errors: [APIError] =
    [.applicationNotManaged, .failedToDecryptData, .dataNotProtected] + .replacement + .keys + .policy
  package static let example = Example(Params(path: .example, toPath: .exampleCopy), true)
  package static let sdkMembers = [
    "IntuneMAMFileProtectionManager -decryptFile:", "IntuneMAMFileProtectionManager -decryptFile:error:",
    "IntuneMAMFileProtectionManager -decryptFile:toCopyPath:",
    "IntuneMAMFileProtectionManager -decryptFile:toCopyPath:error:",
  ]
}

package enum IsFileEncrypted: Method {
  package static let name = "fileProtectionManager.isFileEncrypted"
  package static let summary = "Is this file encrypted?"
  package typealias Params = PathParams
  package typealias Result = Bool
  package static let resultSummary = "Whether it is; false for what is no regular file."
  package static let errors: [APIError] = .reading + .policy
  package static let example = Example(Params(path: .example), true)
  package static let sdkMembers = ["IntuneMAMFileProtectionManager -isFileEncrypted:"]
}

/// One file.
package struct PathParams: Record {
  package var path: AbsolutePath
  package static let fields = Fields(Self.init(path:), Field("path", \.path, "The file; an absolute path."))
}

extension AbsolutePath {
  static let example = literal("/home/alice/report.docx")
  static let exampleFolder = literal("/home/alice/documents")
  static let exampleCopy = literal("/home/alice/plain.docx")

  private static func literal(_ text: StaticString) -> AbsolutePath { AbsolutePath("\(text)") ?? .root }
}
