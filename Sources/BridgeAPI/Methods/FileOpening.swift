import JSON
import Model

/// An open file.
package struct OpenedFile: Record, Hashable {
  package var handle: FileHandleNumber
  package var size: FileOffset
  package var isEncrypted: Bool

  package init(handle: FileHandleNumber, size: FileOffset, isEncrypted: Bool) {
    self.handle = handle
    self.size = size
    self.isEncrypted = isEncrypted
  }

  package static let fields = Fields(
    Self.init(handle:size:isEncrypted:), Field("handle", \.handle, "Names the open file on this connection."),
    Field("size", \.size, "Of the plain text, in bytes."),
    Field("isEncrypted", \.isEncrypted, "Whether the file is encrypted on the disk."))
}

package enum OpenFileAtPath: Method {
  package static let name = "file.open"
  package static let summary = "Opens a file, encrypted or plain; all offsets are those of the plain text."
  package static let details = """
    Handles belong to their connection and close with it. A file that this makes or empties goes to the identity that \
    acts on the host's thread, and is encrypted when its policy requires that. Links are not followed as the last part \
    of the path. In the state folder files can only be read.
    """
  package struct Params: Targeted {
    package var path: AbsolutePath
    package var flags: [FileFlag]
    package var thread: String?
    package var target: PolicyTarget { PolicyTarget(thread: thread) }
    package static let fields = Fields(
      Self.init(path:flags:thread:), Field("path", \.path, "The file."),
      Field("flags", \.flags, default: [.readWrite], "How it is opened, as open(2) has it."),
      Field("thread", \.thread, "The host's name for a thread or task; without it \"main\"."))
  }
  package typealias Result = OpenedFile
  package static let resultSummary = "The open file."
  package static let errors: [APIError] = .fileHandles + [.unsuitableFile, .failedToEncryptData] + .keys + .policy
  package static let example = Example(
    Params(path: .exampleDocument, flags: [.readWrite], thread: nil), OpenedFile.example)
  package static let sdkMembers = [
    "IntuneMAMFile +openFileAtPath:error:", "IntuneMAMFile +openFileAtPath:flags:error:",
  ]
}

package enum CreateFileAtPath: Method {
  package static let name = "file.create"
  package static let summary = "Makes or empties a file for an account, and opens it."
  package static let details = OpenFileAtPath.details
  package struct Params: Targeted {
    package var path: AbsolutePath
    package var account: AccountReference?
    package var flags: [FileFlag]
    package var mode: FileMode
    package var thread: String?
    package var target: PolicyTarget { PolicyTarget(account: account, thread: thread) }
    package static let fields = Fields(
      Self.init(path:account:flags:mode:thread:), Field("path", \.path, "The file."),
      Field("account", \.account, "Whose a new or emptied file is; without it the identity's that acts."),
      Field(
        "flags", \.flags, default: [.readWrite, .create, .truncate], "How it is opened, as open(2) has it."),
      Field("mode", \.mode, default: 0o600, "Permission bits of a new file; what the server's umask has is left out."),
      Field("thread", \.thread, "The host's name for a thread or task; without it \"main\"."))
  }
  package typealias Result = OpenedFile
  package static let resultSummary = "The open file."
  package static let errors: [APIError] = OpenFileAtPath.errors + [.invalidArguments]
  package static let example = Example(
    Params(
      path: .exampleDocument, account: "alice@contoso.example", flags: [.readWrite, .create, .truncate], mode: 0o600,
      thread: nil),
    OpenedFile.example)
  package static let sdkMembers = [
    "IntuneMAMFile +createFileAtPath:forIdentity:error:",
    "IntuneMAMFile +createFileAtPath:flags:mode:forIdentity:error:",
    "IntuneMAMFile +createFileAtPath:forAccountId:error:",
    "IntuneMAMFile +createFileAtPath:flags:mode:forAccountId:error:",
  ]
}

extension OpenedFile {
  static let example = OpenedFile(handle: 1, size: 0, isEncrypted: true)
}

extension AbsolutePath {
  fileprivate static let exampleDocument = AbsolutePath("/home/alice/documents/plan.txt") ?? .root
}
