import Glibc
import Model
import Support

extension MAMError {
  /// Something that cannot have an owner, or whose content cannot be replaced.
  static func unsuitable(_ path: String, _ why: String) -> MAMError {
    MAMError(
      .unsuitableFile, "the file cannot be protected: \(why)", hint: "Give a regular file with one name", path: path)
  }

  static func inUse(_ path: String) -> MAMError {
    MAMError(
      .fileInUse, "the file is in use: it is open for writing, or is being replaced",
      hint: "Close it, handles of this server included, and call again", path: path,
      fault: FileFault(number: EAGAIN))
  }

  static func inUse(_ path: String, by holder: String) -> MAMError {
    MAMError(
      .fileInUse, "the file is in use: \(holder) holds its lock", hint: "Call again; if it stays so, end the holder",
      path: path, fault: FileFault(number: EAGAIN))
  }

  static func notKept(_ path: String, _ attribute: String, _ number: Int32? = nil) -> MAMError {
    let reason = number.map { ": \(SystemError(number: $0).text)" } ?? ""
    return MAMError(
      .attributeNotKept, "the file is left as it was, for it would lose its \(attribute)\(reason)",
      hint: "Remove the attribute, or call as a user who may set it", path: path, fault: FileFault(number: number))
  }

  static let stopped = MAMError(.cancelled, "nobody waits for the answer any more; nothing was changed")
}
