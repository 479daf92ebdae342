import JSON
import MAM
import Model
import Vault

/// A method of an open file; those of one handle run one after the other.
protocol FileHandleMethod: WorkMethod where Params: FileHandleParams, Arrived == Params {
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
    Field("handle", get, "What file.open or file.create gave on this connection.")
  }
}

/// What a method takes that only needs the handle.
struct FileHandleOnly: FileHandleParams {
  var handle: FileHandleNumber
  static let fields = Fields(Self.init, handleField(\.handle))
}

enum SeekFile: FileHandleMethod {
  static let name = "file.seek"
  static let summary = "Moves the handle's position; it may lie behind the end."
  struct Params: FileHandleParams {
    var handle: FileHandleNumber
    var offset: FileOffset
    static let fields = Fields(
      Self.init, handleField(\.handle), Field("offset", \.offset, "From the beginning, in bytes."))
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
  static let summary = "The handle's position."
  typealias Params = FileHandleOnly
  typealias Result = FileOffset
  static let resultSummary = "From the beginning, in bytes."
  static let errors: [ErrorCode] = [.noFileHandle, .policyRequired]
  static let example = Example(Params(handle: 1), 5 as FileOffset)
  static let sdkMembers = ["IntuneMAMFile -tell:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> FileOffset {
    FileOffset(counting: try file.tell())
  }
}

enum TruncateFile: FileHandleMethod {
  static let name = "file.truncate"
  static let summary = "Cuts a file off, or lengthens it with zeros; the handle's position stays."
  static let details = "Commit point: before the first change."
  struct Params: FileHandleParams {
    var handle: FileHandleNumber
    var length: FileOffset
    static let fields = Fields(
      Self.init, handleField(\.handle), Field("length", \.length, "Of the plain text, in bytes."))
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
  static let summary = "The length of a file's plain text."
  typealias Params = FileHandleOnly
  typealias Result = FileOffset
  static let resultSummary = "In bytes."
  static let errors: [ErrorCode] = ReadFile.errors
  static let example = Example(Params(handle: 1), 5 as FileOffset)
  static let sdkMembers = ["IntuneMAMFile -size:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> FileOffset {
    FileOffset(counting: try file.size())
  }
}

enum SyncFile: FileHandleMethod {
  static let name = "file.sync"
  static let summary = "Waits until all that was written to a file is on the disk, its times included."
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
  static let summary = "Waits until all that was written to a file can be read again after a loss of power."
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
  static let summary = "Whether an open file is encrypted on the disk."
  typealias Params = FileHandleOnly
  typealias Result = Bool
  static let resultSummary = "As it was at the handle's last call."
  static let errors: [ErrorCode] = [.noFileHandle, .policyRequired]
  static let example = Example(Params(handle: 1), true)
  static let sdkMembers = ["IntuneMAMFile -isEncrypted"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Bool { try file.isEncrypted() }
}

enum ProtectionInfoOfFile: FileHandleMethod {
  static let name = "file.protectionInfo"
  static let summary = "Whose an open file is."
  typealias Params = FileHandleOnly
  typealias Result = Account?
  static let resultSummary = "The owner; null for a file that belongs to nobody."
  static let errors: [ErrorCode] = ReadFile.errors
  static let example = Example<Params, Result>(Params(handle: 1), .example)
  static let sdkMembers = ["IntuneMAMFile -protectionInfo"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Account? { try file.protectionInfo() }
}

enum CloseFile: WorkMethod {
  static let name = "file.close"
  static let summary = "Closes a handle; sync it first when its content must be on the disk."
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
  /// What is beyond 2^53 counts as that: no such file can be read by its offsets.
  init(counting count: UInt64) {
    self.init(integerLiteral: Int64(clamping: count))
  }
}
