import Glibc
import Model

/// What a handle may do, and what its opening does.
struct FileAccess: Sendable {
  let canRead: Bool
  let canWrite: Bool
  let appends: Bool
  let creates: Bool
  let truncates: Bool
  let isExclusive: Bool

  /// Throws EINVAL for flags that contradict each other.
  init(_ flags: [FileFlag], path: String) throws(MAMError) {
    let flags = Set(flags)
    let kinds = flags.intersection([.readOnly, .writeOnly, .readWrite])
    canRead = !kinds.contains(.writeOnly)
    canWrite = !kinds.contains(.readOnly)
    appends = flags.contains(.append)
    creates = flags.contains(.create)
    truncates = flags.contains(.truncate)
    isExclusive = flags.contains(.exclusive)
    guard kinds.count <= 1, canWrite || !(appends || truncates), creates || !isExclusive else {
      throw .contradictingFlags(path)
    }
  }

  /// Of the descriptor: a page is read before a part of it is written, and a new file gets its header.
  var descriptorFlags: Int32 { canWrite || creates ? O_RDWR : O_RDONLY }
}

extension MAMError {
  fileprivate static func contradictingFlags(_ path: String) -> MAMError {
    MAMError(
      .fileUnavailable, "the flags contradict each other",
      hint: """
        Give one of readOnly, writeOnly and readWrite; append and truncate need one that writes, exclusive needs create
        """,
      path: path, fault: FileFault(number: EINVAL))
  }
}
