import JSON
import MAM
import Model
import Support
import Vault

enum ReadFile: FileHandleMethod {
  static let name = "file.read"
  static let summary = "Read from the handle's position, and move the position past the bytes that were read."
  static let details = "Calls on one handle run in the order in which they were sent."
  struct Params: FileHandleParams {
    var handle: FileHandleNumber
    var count: FileByteCount
    static let fields = Fields(
      Self.init, handleField(\.handle), Field("count", \.count, "The maximum number of bytes to read."))
  }
  typealias Result = Base64Bytes
  static let resultSummary = "The bytes. Fewer bytes than requested are returned only at the end of the file."
  static let errors: [ErrorCode] = .fileHandles + .keys + [.policyRequired]
  static let example = Example(Params(handle: 1, count: 5), Result(Array("hello".utf8)))
  static let sdkMembers = ["IntuneMAMFile -read:count:error:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Base64Bytes {
    try checkMemory(for: params.count)
    return Base64Bytes(try file.read(Int(params.count.value)))
  }
}

enum ReadFileAtOffset: FileHandleMethod {
  static let name = "file.pread"
  static let summary = "Read from an offset. The handle's position does not change."
  struct Params: FileHandleParams {
    var handle: FileHandleNumber
    var count: FileByteCount
    var offset: FileOffset
    static let fields = Fields(
      Self.init, handleField(\.handle), Field("count", \.count, "The maximum number of bytes to read."),
      Field("offset", \.offset, "The offset of the first byte to read."))
  }
  typealias Result = Base64Bytes
  static let resultSummary = ReadFile.resultSummary
  static let errors: [ErrorCode] = ReadFile.errors
  static let example = Example(Params(handle: 1, count: 5, offset: 0), Result(Array("hello".utf8)))
  static let sdkMembers = ["IntuneMAMFile -pread:count:offset:error:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> Base64Bytes {
    try checkMemory(for: params.count)
    return Base64Bytes(try file.read(Int(params.count.value), at: UInt64(params.offset.value)))
  }
}

/// Checks that there is memory for the bytes, their base64 and the reply, before anything is read and the position
/// moves.
private func checkMemory(for count: FileByteCount) throws(MAMError) {
  guard HeapMemory.hasRoom(forBytes: 4 * Int(count.value)) else {
    throw MAMError(
      .outOfMemory, "the system has no memory for \(count.value) bytes", hint: "Read fewer bytes at a time")
  }
}

enum WriteFile: FileHandleMethod {
  static let name = "file.write"
  static let summary = "Write at the handle's position or, with the flag append, at the end of the file."
  static let details = """
    Moves the position past the bytes that were written. A gap before them is filled with zeros. Commit point: before \
    the first byte.
    """
  struct Params: FileHandleParams {
    var handle: FileHandleNumber
    var data: FileBytes
    static let fields = Fields(
      Self.init, handleField(\.handle), Field("data", \.data, "The bytes to write; at most 16 MiB."))
  }
  typealias Result = FileByteCount
  static let resultSummary = "The number of bytes written, which is always all of them."
  static let errors: [ErrorCode] = ReadFile.errors + [.failedToEncryptData]
  static let example = Example(Params(handle: 1, data: FileBytes(Array("hello".utf8))), 5 as FileByteCount)
  static let sdkMembers = ["IntuneMAMFile -write:count:error:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> FileByteCount {
    try file.write(params.data.bytes)
    return FileByteCount(known: Int64(params.data.bytes.count))
  }
}

enum WriteFileAtOffset: FileHandleMethod {
  static let name = "file.pwrite"
  static let summary = "Write at an offset. The handle's position does not change."
  static let details = "A gap before the bytes is filled with zeros. Commit point: before the first byte."
  struct Params: FileHandleParams {
    var handle: FileHandleNumber
    var data: FileBytes
    var offset: FileOffset
    static let fields = Fields(
      Self.init, handleField(\.handle), Field("data", \.data, "The bytes to write; at most 16 MiB."),
      Field("offset", \.offset, "The offset of the first byte to write."))
  }
  typealias Result = FileByteCount
  static let resultSummary = WriteFile.resultSummary
  static let errors: [ErrorCode] = WriteFile.errors
  static let example = Example(
    Params(handle: 1, data: FileBytes(Array("hello".utf8)), offset: 0), 5 as FileByteCount)
  static let sdkMembers = ["IntuneMAMFile -pwrite:count:offset:error:"]

  static func answer(_ params: Params, _ file: FileHandle) throws(MAMError) -> FileByteCount {
    try file.write(params.data.bytes, at: UInt64(params.offset.value))
    return FileByteCount(known: Int64(params.data.bytes.count))
  }
}

/// The bytes that one call writes.
struct FileBytes: FieldValue, Hashable {
  var bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  static func decode(_ node: JSONNode) throws(JSONDecodingError) -> FileBytes {
    let bytes = try Base64Bytes.decode(node).bytes
    guard bytes.count <= FileByteCount.range.upperBound else {
      throw JSONDecodingError(
        .invalid("must be at most \(FileByteCount.range.upperBound) bytes; write the data in parts"))
    }
    return FileBytes(bytes)
  }

  func encode(to writer: inout JSONWriter) { Base64Bytes(bytes).encode(to: &writer) }

  static func schema(in components: inout SchemaComponents) -> JSONValue {
    Base64Bytes.schema(in: &components)
  }
}
