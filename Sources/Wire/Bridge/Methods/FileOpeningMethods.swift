import JSON
import MAM
import Model
import Vault

enum OpenFileAtPath: WorkMethod {
  static let name = "file.open"
  static let summary = "Open a file, encrypted or plain. All offsets are offsets in the plaintext."
  static let details = """
    Handles belong to their connection and close with it. A file that the call creates or empties belongs to the \
    effective identity of the host's thread, and is encrypted if the policy of that identity requires it. A symbolic \
    link as the last part of the path is not followed. Files in the state folder can only be read.
    """
  struct Params: Targeted {
    var path: AbsolutePath
    var flags: [FileFlag]
    var thread: String?
    var target: PolicyTarget { PolicyTarget(thread: thread) }
    static let fields = Fields(
      Self.init, Field("path", \.path, "The absolute path of the file."),
      Field("flags", \.flags, default: [.readWrite], "How to open the file, as in open(2)."),
      Field("thread", \.thread, "The host's name for the thread or task; defaults to \"main\"."))
  }
  typealias Result = OpenedFile
  static let resultSummary = "The open file."
  static let errors: [ErrorCode] =
    [.invalidArguments] + .fileHandles + [.unsuitableFile, .failedToEncryptData] + .keys + [.policyRequired]
  static let example = Example(
    Params(path: .exampleDocument, flags: [.readWrite], thread: nil), OpenedFile.example)
  static let sdkMembers = [
    "IntuneMAMFile +openFileAtPath:error:", "IntuneMAMFile +openFileAtPath:flags:error:",
  ]

  static func answer(_ asked: Addressed<Params>, on connection: BridgeConnection) throws(MAMError) -> OpenedFile {
    let params = asked.params
    try connection.files.checkRoom(params.path.text)
    return try connection.files.opened(connection.core.files.open(params.path, params.flags, for: asked.account))
  }
}

enum CreateFileAtPath: WorkMethod {
  static let name = "file.create"
  static let summary = "Create or empty a file for an account, and open it."
  static let details = """
    Handles belong to their connection and close with it. A file that the call creates or empties belongs to the \
    account, and is encrypted if the account's policy requires it. A symbolic link as the last part of the path is not \
    followed. Files in the state folder can only be read.
    """
  struct Params: Targeted {
    var path: AbsolutePath
    var account: AccountReference?
    var flags: [FileFlag]
    var mode: FileMode
    var thread: String?
    var target: PolicyTarget { PolicyTarget(account: account, thread: thread) }
    static let fields = Fields(
      Self.init, Field("path", \.path, "The absolute path of the file."),
      Field(
        "account", \.account,
        "The owner of a created or emptied file; defaults to the effective identity of the thread."),
      Field("flags", \.flags, default: [.readWrite, .create, .truncate], "How to open the file, as in open(2)."),
      Field(
        "mode", \.mode, default: 0o600, "The permission bits of a new file. The bits in the server's umask are removed."
      ),
      Field("thread", \.thread, "The host's name for the thread or task; defaults to \"main\"."))
  }
  typealias Result = OpenedFile
  static let resultSummary = "The open file."
  static let errors: [ErrorCode] = OpenFileAtPath.errors
  static let example = Example(
    Params(
      path: .exampleDocument, account: "alice@contoso.example", flags: [.readWrite, .create, .truncate], mode: 0o600,
      thread: nil),
    OpenedFile.example)
  static let sdkMembers = [
    "IntuneMAMFile +createFileAtPath:forIdentity:error:",
    "IntuneMAMFile +createFileAtPath:flags:mode:forIdentity:error:",
    "IntuneMAMFile +createFileAtPath:forAccountId:error:",
    "IntuneMAMFile +createFileAtPath:flags:mode:forAccountId:error:",
  ]

  static func answer(_ asked: Addressed<Params>, on connection: BridgeConnection) throws(MAMError) -> OpenedFile {
    let params = asked.params
    try connection.files.checkRoom(params.path.text)
    return try connection.files.opened(
      connection.core.files.open(params.path, params.flags, mode: UInt32(params.mode.value), for: asked.account))
  }
}

/// An open file.
struct OpenedFile: Record, Hashable {
  var handle: FileHandleNumber
  var size: FileOffset
  var isEncrypted: Bool
  static let fields = Fields(
    Self.init, Field("handle", \.handle, "The handle of the open file, on this connection."),
    Field("size", \.size, "The length of the plaintext, in bytes."),
    Field("isEncrypted", \.isEncrypted, "Whether the file is encrypted on disk."))
}

extension OpenedFile {
  static let example = OpenedFile(handle: 1, size: 0, isEncrypted: true)
}

extension AbsolutePath {
  fileprivate static let exampleDocument = AbsolutePath("/home/alice/documents/plan.txt") ?? .root
}

extension FileHandles {
  fileprivate func opened(_ file: FileHandle) throws(MAMError) -> OpenedFile {
    let (size, isEncrypted) = (FileOffset(counting: try file.size()), try file.isEncrypted())
    return OpenedFile(handle: try add(file), size: size, isEncrypted: isEncrypted)
  }
}
