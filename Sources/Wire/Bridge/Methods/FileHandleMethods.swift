import JSON
import MAM
import Model
import Vault

/// A method of an open file. Calls on one handle run one after the other.
protocol FileHandleMethod: WorkMethod where Params: FileHandleParams, Captured == Params {
  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Result
}

extension FileHandleMethod {
  static func queue(_ params: Params) -> String? { Queue.file(params.handle) }

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Result {
    try connection.core.refresh()
    try connection.core.state.checkPolicyIsThere()
    return try answer(params, connection.files.handle(params.handle))
  }
}

protocol FileHandleParams: Record {
  var handle: FileHandleNumber { get }
}

extension FileHandleParams {
  static func handleField(
    _ get: @escaping @Sendable (Self) -> FileHandleNumber
  ) -> Field<Self, FileHandleNumber> {
    Field("handle", get, "The handle that file.open or file.create returned on this connection.")
  }
}

/// The params of a method that needs only the handle.
struct FileHandleOnly: FileHandleParams {
  var handle: FileHandleNumber
  static let fields = Fields(Self.init, handleField(\.handle))
}

enum SeekFile: FileHandleMethod {
  static let name = "file.seek"
  static let summary = "Move the handle's position, possibly beyond the end of the file."
  struct Params: FileHandleParams {
    var handle: FileHandleNumber
    var offset: FileOffset
    static let fields = Fields(
      Self.init, handleField(\.handle),
      Field("offset", \.offset, "The new position, in bytes from the start of the file."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.noFileHandle, .policyRequired]
  static let example = Example(Params(handle: 1, offset: 0), Nothing())
  static let sdkMembers = ["IntuneMAMFile -seek:error:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Nothing {
    try file.seek(to: UInt64(params.offset.value))
    return Nothing()
  }
}

enum TellFile: FileHandleMethod {
  static let name = "file.tell"
  static let summary = "Return the handle's position."
  typealias Params = FileHandleOnly
  typealias Result = FileOffset
  static let resultSummary = "The position, in bytes from the start of the file."
  static let errors: [ErrorCode] = [.noFileHandle, .policyRequired]
  static let example = Example(Params(handle: 1), 5 as FileOffset)
  static let sdkMembers = ["IntuneMAMFile -tell:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> FileOffset {
    FileOffset(counting: try file.tell())
  }
}

enum TruncateFile: FileHandleMethod {
  static let name = "file.truncate"
  static let summary = "Shorten a file, or extend it with zeros. The handle's position does not change."
  static let details = "Commit point: before the first change."
  struct Params: FileHandleParams {
    var handle: FileHandleNumber
    var length: FileOffset
    static let fields = Fields(
      Self.init, handleField(\.handle), Field("length", \.length, "The new length of the plaintext, in bytes."))
  }
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = WriteFile.errors
  static let example = Example(Params(handle: 1, length: 0), Nothing())
  static let sdkMembers = ["IntuneMAMFile -truncate:error:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Nothing {
    try file.truncate(to: UInt64(params.length.value))
    return Nothing()
  }
}

enum SizeOfFile: FileHandleMethod {
  static let name = "file.size"
  static let summary = "Return the length of a file's plaintext."
  typealias Params = FileHandleOnly
  typealias Result = FileOffset
  static let resultSummary = "The length in bytes."
  static let errors: [ErrorCode] = ReadFile.errors
  static let example = Example(Params(handle: 1), 5 as FileOffset)
  static let sdkMembers = ["IntuneMAMFile -size:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> FileOffset {
    FileOffset(counting: try file.size())
  }
}

enum SyncFile: FileHandleMethod {
  static let name = "file.sync"
  static let summary = "Wait until everything that was written to a file is on disk, including its times."
  typealias Params = FileHandleOnly
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = ReadFile.errors
  static let example = Example(Params(handle: 1), Nothing())
  static let sdkMembers = ["IntuneMAMFile -sync:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Nothing {
    try file.sync(dataOnly: false)
    return Nothing()
  }
}

enum SyncFileData: FileHandleMethod {
  static let name = "file.datasync"
  static let summary = "Wait until everything that was written to a file is on disk and would survive a power failure."
  typealias Params = FileHandleOnly
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = ReadFile.errors
  static let example = Example(Params(handle: 1), Nothing())
  static let sdkMembers = ["IntuneMAMFile -datasync:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Nothing {
    try file.sync(dataOnly: true)
    return Nothing()
  }
}

enum IsFileHandleEncrypted: FileHandleMethod {
  static let name = "file.isEncrypted"
  static let summary = "Report whether an open file is encrypted on disk."
  typealias Params = FileHandleOnly
  typealias Result = Bool
  static let resultSummary = "Whether the file was encrypted at the last call on this handle."
  static let errors: [ErrorCode] = [.noFileHandle, .policyRequired]
  static let example = Example(Params(handle: 1), true)
  static let sdkMembers = ["IntuneMAMFile -isEncrypted"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Bool { try file.isEncrypted() }
}

enum ProtectionInfoOfFile: FileHandleMethod {
  static let name = "file.protectionInfo"
  static let summary = "Return the owner of an open file."
  typealias Params = FileHandleOnly
  typealias Result = Account?
  static let resultSummary = "The owner; null if the file has none."
  static let errors: [ErrorCode] = ReadFile.errors
  static let example = Example<Params, Result>(Params(handle: 1), .example)
  static let sdkMembers = ["IntuneMAMFile -protectionInfo"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Account? { try file.protectionInfo() }
}

enum CloseFile: WorkMethod {
  static let name = "file.close"
  static let summary = "Close a handle. Call file.sync first if the content must be on disk."
  typealias Params = FileHandleOnly
  typealias Result = Nothing
  static let resultSummary = "Null."
  static let errors: [ErrorCode] = [.noFileHandle]
  static let usesStore = false
  static let example = Example(Params(handle: 1), Nothing())
  static let sdkMembers = ["IntuneMAMFile -close:"]

  static func queue(_ params: Params) -> String? { Queue.file(params.handle) }

  static func answer(_ params: Params, on connection: BridgeConnection) throws(MAMError) -> Nothing {
    try connection.files.remove(params.handle).close()
    return Nothing()
  }
}

extension FileOffset {
  /// Clamps a count beyond 2^53, the greatest offset.
  init(counting count: UInt64) {
    self.init(integerLiteral: Int64(clamping: count))
  }
}
