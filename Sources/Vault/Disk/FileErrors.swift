import Cryptography
import Glibc
import Model
import Support

extension MAMError {
  /// A file of the host that the system refuses, by the current or a given errno.
  package static func file(_ path: String, _ number: Int32 = errno) -> MAMError {
    MAMError(
      .fileUnavailable, "the file cannot be used: \(SystemError(number: number).text)", hint: fileHint(number),
      path: path, fault: FileFault(number: number))
  }

  static func noFolder(_ path: String) -> MAMError {
    MAMError(
      .fileUnavailable, "the folder of the file is not there", hint: "Make the folder first, or give another path",
      path: path, fault: FileFault(number: ENOENT))
  }

  /// One page whose tag fails, or what is no page.
  static func damagedPage(_ path: String, _ page: UInt64, _ range: Range<UInt64>) -> MAMError {
    MAMError(
      .fileDamaged, "page \(page) of the file is damaged: bytes \(range.lowerBound) to \(range.upperBound) are lost",
      hint: "The other pages can be read; write these bytes anew, or put a good copy of the file back", path: path,
      fault: FileFault(page: page, range: range))
  }

  static func damagedHeader(_ path: String, _ what: String) -> MAMError {
    MAMError(
      .fileDamaged, "the \(what) of the encrypted file is damaged", hint: "Put a good copy of the file back",
      path: path, fault: FileFault())
  }

  static func damagedRecord(_ path: String) -> MAMError {
    MAMError(
      .fileDamaged, "the record of the encrypted file is damaged: how long its text is, is not known",
      hint: "Recover the pages with mambridge files export, or put a good copy of the file back", path: path,
      fault: FileFault())
  }

  static func truncatedFile(_ path: String, _ page: UInt64, _ range: Range<UInt64>) -> MAMError {
    MAMError(
      .fileTruncated, "the encrypted file was cut off: bytes from \(range.lowerBound) on are lost",
      hint: "What stands before can be read; put a good copy of the file back", path: path,
      fault: FileFault(page: page, range: range))
  }

  /// Nothing of it is left, so not even how long it was is known.
  static func emptiedFile(_ path: String) -> MAMError {
    MAMError(
      .fileTruncated, "the encrypted file was cut off: all of it is lost",
      hint: "Put a good copy of the file back, or open it with the flag \"truncate\" to begin anew", path: path,
      fault: FileFault())
  }

  static func noFileKey(_ path: String) -> MAMError {
    MAMError(
      .noFileKey, "there is no key for the encrypted file here",
      hint: "It was encrypted on another device or state folder or by another app, or its account was wiped",
      path: path)
  }

  /// OpenSSL has no memory, or no random bytes.
  static func cannotEncrypt(_ path: String, _ error: CryptographyError) -> MAMError {
    MAMError(.failedToEncryptData, "the file cannot be encrypted: \(error)", hint: "Call again", path: path)
  }

  private static func fileHint(_ number: Int32) -> String {
    switch number {
    case ENOENT: "Give the path of a file that is there, or the flag \"create\""
    case EACCES, EPERM: "Give this user access to the file and its folder"
    case EROFS: "Open it with the flag \"readOnly\", or elsewhere"
    case ENOSPC, EDQUOT: "Free some space and call again"
    case EISDIR: "Give the path of a file, not of a folder"
    case EEXIST: "Leave out the flag \"exclusive\", or choose another path"
    case ELOOP: "Give the path of the file itself: links are not followed"
    case EFBIG: "Keep the file shorter"
    case EMFILE, ENFILE: "Close handles that are not needed"
    case EBADF: "Open the file with flags that allow this"
    default: "Check the path and its file system"
    }
  }
}

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

  package static let stopped = MAMError(.cancelled, "nobody waits for the answer any more; nothing was changed")
}
