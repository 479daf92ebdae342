import Glibc
import Model

/// What a handle may do, and what opening it does.
package struct FileAccess: Sendable {
  let canRead: Bool
  package let canWrite: Bool
  let appends: Bool
  package let creates: Bool
  package let truncates: Bool
  let isExclusive: Bool

  /// Throws EINVAL for contradicting flags.
  package init(_ flags: [FileFlag], path: String) throws(MAMError) {
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

  /// The flags of the descriptor. Writing part of a page also reads the page, and a new file gets a header.
  var descriptorFlags: Int32 { canWrite || creates ? O_RDWR : O_RDONLY }
}

extension MAMError {
  fileprivate static func contradictingFlags(_ path: String) -> MAMError {
    MAMError(
      .fileUnavailable, "the flags contradict each other",
      hint: """
        Use one of readOnly, writeOnly and readWrite. append and truncate need write access; exclusive needs create
        """,
      path: path, fault: FileFault(number: EINVAL))
  }

  /// The error about a missing file, with the flag that would have created it.
  fileprivate var suggestingCreate: MAMError {
    MAMError(code, message, hint: hint.map { "\($0), or pass the flag \"create\"" }, path: path, fault: fault)
  }
}

extension String {
  /// Whether it has no mark for bytes that are not UTF-8.
  fileprivate var isPassedWhole: Bool { !unicodeScalars.contains("\u{FFFD}") }
}

extension DiskFile {
  /// Opens or creates a file, and returns whether it is new. Without `exclusive`, tries to open it first.
  static func openOrCreate(_ path: String, _ access: FileAccess, _ mode: mode_t) throws(MAMError) -> (
    DiskFile, isNew: Bool
  ) {
    while true {
      do throws(MAMError) {
        if !access.isExclusive { return (try DiskFile(path: path, flags: access.descriptorFlags), false) }
      } catch {
        guard error.fault?.number == ENOENT else { throw error }
        guard access.creates else { throw access.canWrite && path.isPassedWhole ? error.suggestingCreate : error }
      }
      do throws(MAMError) {
        return (try DiskFile(path: path, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode), true)
      } catch {
        guard !access.isExclusive, error.fault?.number == EEXIST else {
          throw error.fault?.number == ENOENT ? .noFolder(FileLocation.folder(of: path)) : error
        }
      }
    }
  }

  func isEncrypted() throws(MAMError) -> Bool {
    var bytes: UInt64 = 0
    let count = try withUnsafeMutableBytes(of: &bytes) { target throws(MAMError) in try read(into: target, at: 0) }
    return count == FileHeader.magic.count && withUnsafeBytes(of: bytes) { $0.elementsEqual(FileHeader.magic) }
  }
}
