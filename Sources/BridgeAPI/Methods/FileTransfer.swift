import JSON
import Model

package enum ReadFile: FileHandleMethod {
  package static let name = "file.read"
  package static let summary = "Reads from the handle's position on, which moves behind what was read."
  package static let details = "Calls of one handle run in the order in which they were sent."
  package struct Params: FileHandleParams {
    package var handle: FileHandleNumber
    package var count: FileByteCount
    package static let fields = Fields(
      Self.init(handle:count:), handleField(\.handle), Field("count", \.count, "How many bytes at most."))
  }
  package typealias Result = Base64Bytes
  package static let resultSummary = "The bytes; fewer than asked for at the end of the file only."
  package static let errors: [APIError] = .fileHandles + .keys + .policy
  package static let example = Example(Params(handle: 1, count: 5), Result(Array("hello".utf8)))
  package static let sdkMembers = ["IntuneMAMFile -read:count:error:"]
}

package enum ReadFileAtOffset: FileHandleMethod {
  package static let name = "file.pread"
  package static let summary = "Reads from an offset on; the handle's position stays."
  package struct Params: FileHandleParams {
    package var handle: FileHandleNumber
    package var count: FileByteCount
    package var offset: FileOffset
    package static let fields = Fields(
      Self.init(handle:count:offset:), handleField(\.handle), Field("count", \.count, "How many bytes at most."),
      Field("offset", \.offset, "Where they begin."))
  }
  package typealias Result = Base64Bytes
  package static let resultSummary = ReadFile.resultSummary
  package static let errors: [APIError] = ReadFile.errors
  package static let example = Example(Params(handle: 1, count: 5, offset: 0), Result(Array("hello".utf8)))
  package static let sdkMembers = ["IntuneMAMFile -pread:count:offset:error:"]
}

package enum WriteFile: FileHandleMethod {
  package static let name = "file.write"
  package static let summary = "Writes at the handle's position, or with the flag append at the end of the file."
  package static let details = """
    The position moves behind what was written. A gap before it becomes zeros. Commit point: before the first byte.
    """
  package struct Params: FileHandleParams {
    package var handle: FileHandleNumber
    package var data: FileBytes
    package static let fields = Fields(
      Self.init(handle:data:), handleField(\.handle), Field("data", \.data, "What to write; 16 MiB at most."))
  }
  package typealias Result = FileByteCount
  package static let resultSummary = "How many bytes were written: all of them."
  package static let errors: [APIError] = ReadFile.errors + [.failedToEncryptData]
  package static let example = Example(Params(handle: 1, data: FileBytes(Array("hello".utf8))), 5 as FileByteCount)
  package static let sdkMembers = ["IntuneMAMFile -write:count:error:"]
}

package enum WriteFileAtOffset: FileHandleMethod {
  package static let name = "file.pwrite"
  package static let summary = "Writes at an offset; the handle's position stays."
  package static let details = "A gap before it becomes zeros. Commit point: before the first byte."
  package struct Params: FileHandleParams {
    package var handle: FileHandleNumber
    package var data: FileBytes
    package var offset: FileOffset
    package static let fields = Fields(
      Self.init(handle:data:offset:), handleField(\.handle), Field("data", \.data, "What to write; 16 MiB at most."),
      Field("offset", \.offset, "Where it begins."))
  }
  package typealias Result = FileByteCount
  package static let resultSummary = WriteFile.resultSummary
  package static let errors: [APIError] = WriteFile.errors
  package static let example = Example(
    Params(handle: 1, data: FileBytes(Array("hello".utf8)), offset: 0), 5 as FileByteCount)
  package static let sdkMembers = ["IntuneMAMFile -pwrite:count:offset:error:"]
}
