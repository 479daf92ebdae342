import JSON
import Model

/// A method of an open file.
package protocol FileHandleMethod: Method where Params: FileHandleParams {}

package protocol FileHandleParams: Record {
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
package struct FileHandleOnly: FileHandleParams {
  package var handle: FileHandleNumber

  package init(handle: FileHandleNumber) {
    self.handle = handle
  }

  package static let fields = Fields(Self.init(handle:), handleField(\.handle))
}

package enum SeekFile: FileHandleMethod {
  package static let name = "file.seek"
  package static let summary = "Moves the handle's position; it may lie behind the end."
  package struct Params: FileHandleParams {
    package var handle: FileHandleNumber
    package var offset: FileOffset
    package static let fields = Fields(
      Self.init(handle:offset:), handleField(\.handle), Field("offset", \.offset, "From the beginning, in bytes."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = [.noFileHandle] + .policy
  package static let example = Example(Params(handle: 1, offset: 0), Nothing())
  package static let sdkMembers = ["IntuneMAMFile -seek:error:"]
}

package enum TellFile: FileHandleMethod {
  package static let name = "file.tell"
  package static let summary = "The handle's position."
  package typealias Params = FileHandleOnly
  package typealias Result = FileOffset
  package static let resultSummary = "From the beginning, in bytes."
  package static let errors: [APIError] = [.noFileHandle] + .policy
  package static let example = Example(Params(handle: 1), 5 as FileOffset)
  package static let sdkMembers = ["IntuneMAMFile -tell:"]
}

package enum TruncateFile: FileHandleMethod {
  package static let name = "file.truncate"
  package static let summary = "Cuts a file off, or lengthens it with zeros; the handle's position stays."
  package static let details = "Commit point: before the first change."
  package struct Params: FileHandleParams {
    package var handle: FileHandleNumber
    package var length: FileOffset
    package static let fields = Fields(
      Self.init(handle:length:), handleField(\.handle), Field("length", \.length, "Of the plain text, in bytes."))
  }
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = WriteFile.errors
  package static let example = Example(Params(handle: 1, length: 0), Nothing())
  package static let sdkMembers = ["IntuneMAMFile -truncate:error:"]
}

package enum SizeOfFile: FileHandleMethod {
  package static let name = "file.size"
  package static let summary = "The length of a file's plain text."
  package typealias Params = FileHandleOnly
  package typealias Result = FileOffset
  package static let resultSummary = "In bytes."
  package static let errors: [APIError] = ReadFile.errors
  package static let example = Example(Params(handle: 1), 5 as FileOffset)
  package static let sdkMembers = ["IntuneMAMFile -size:"]
}

package enum SyncFile: FileHandleMethod {
  package static let name = "file.sync"
  package static let summary = "Waits until all that was written to a file is on the disk, its times included."
  package typealias Params = FileHandleOnly
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = ReadFile.errors
  package static let example = Example(Params(handle: 1), Nothing())
  package static let sdkMembers = ["IntuneMAMFile -sync:"]
}

package enum SyncFileData: FileHandleMethod {
  package static let name = "file.datasync"
  package static let summary = "Waits until all that was written to a file can be read again after a loss of power."
  package typealias Params = FileHandleOnly
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = ReadFile.errors
  package static let example = Example(Params(handle: 1), Nothing())
  package static let sdkMembers = ["IntuneMAMFile -datasync:"]
}

package enum IsFileHandleEncrypted: FileHandleMethod {
  package static let name = "file.isEncrypted"
  package static let summary = "Whether an open file is encrypted on the disk."
  package typealias Params = FileHandleOnly
  package typealias Result = Bool
  package static let resultSummary = "As it was at the handle's last call."
  package static let errors: [APIError] = [.noFileHandle] + .policy
  package static let example = Example(Params(handle: 1), true)
  package static let sdkMembers = ["IntuneMAMFile -isEncrypted"]
}

package enum ProtectionInfoOfFile: FileHandleMethod {
  package static let name = "file.protectionInfo"
  package static let summary = "Whose an open file is."
  package typealias Params = FileHandleOnly
  package typealias Result = Account?
  package static let resultSummary = "The owner; null for a file that belongs to nobody."
  package static let errors: [APIError] = ReadFile.errors
  package static let example = Example<Params, Result>(Params(handle: 1), .example)
  package static let sdkMembers = ["IntuneMAMFile -protectionInfo"]
}

package enum CloseFile: FileHandleMethod {
  package static let name = "file.close"
  package static let summary = "Closes a handle; sync it first when its content must be on the disk."
  package typealias Params = FileHandleOnly
  package typealias Result = Nothing
  package static let resultSummary = "Null."
  package static let errors: [APIError] = [.noFileHandle]
  package static let example = Example(Params(handle: 1), Nothing())
  package static let sdkMembers = ["IntuneMAMFile -close:"]
}
