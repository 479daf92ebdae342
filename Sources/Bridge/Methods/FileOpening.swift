import JSON
import MAM
import Model
import Vault

enum OpenFileAtPath: WorkMethod {
  static let name = "file.open"
  static let summary = "Opens a file, encrypted or plain; all offsets are those of the plain text."
  static let details = """
    Handles belong to their connection and close with it. A file that this makes or empties goes to the identity that \
    acts on the host's thread, and is encrypted when its policy requires that. Links are not followed as the last part \
    of the path. In the state folder files can only be read.
    """
  struct Params: Targeted {
    var path: AbsolutePath
    var flags: [FileFlag]
    var thread: String?
    var target: PolicyTarget { PolicyTarget(thread: thread) }
    static let fields = Fields(
      Self.init, Field("path", \.path, "The file."),
      Field("flags", \.flags, default: [.readWrite], "How it is opened, as open(2) has it."),
      Field("thread", \.thread, "The host's name for a thread or task; without it \"main\"."))
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

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> OpenedFile {
    let params = asked.params
    try connection.files.checkRoom(params.path.text)
    return try connection.files.opened(connection.core.files.open(params.path, params.flags, for: asked.account))
  }
}

enum CreateFileAtPath: WorkMethod {
  static let name = "file.create"
  static let summary = "Makes or empties a file for an account, and opens it."
  static let details = OpenFileAtPath.details
  struct Params: Targeted {
    var path: AbsolutePath
    var account: AccountReference?
    var flags: [FileFlag]
    var mode: FileMode
    var thread: String?
    var target: PolicyTarget { PolicyTarget(account: account, thread: thread) }
    static let fields = Fields(
      Self.init, Field("path", \.path, "The file."),
      Field("account", \.account, "Whose a new or emptied file is; without it the identity's that acts."),
      Field(
        "flags", \.flags, default: [.readWrite, .create, .truncate], "How it is opened, as open(2) has it."),
      Field("mode", \.mode, default: 0o600, "Permission bits of a new file; what the server's umask has is left out."),
      Field("thread", \.thread, "The host's name for a thread or task; without it \"main\"."))
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

  static func answer(_ asked: Asked<Params>, on connection: BridgeConnection) throws(MAMError) -> OpenedFile {
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
    Self.init, Field("handle", \.handle, "Names the open file on this connection."),
    Field("size", \.size, "Of the plain text, in bytes."),
    Field("isEncrypted", \.isEncrypted, "Whether the file is encrypted on the disk."))
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
