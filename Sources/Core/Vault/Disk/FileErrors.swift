import Cryptography
import Glibc
import Model
import Support

extension MAMError {
  /// A system call on a file of the host failed, with the current `errno` or the given one.
  package static func file(_ path: String, _ number: Int32 = errno) -> MAMError {
    if number == ENOENT, path.unicodeScalars.contains("\u{FFFD}") { return notUTF8(path) }
    return MAMError(
      .fileUnavailable, problem(path, number), hint: fileHint(number), path: path, fault: FileFault(number: number))
  }

  private static func problem(_ path: String, _ number: Int32) -> String {
    let reason = reason(number) ?? SystemError(number: number).text
    guard number == ENOENT else { return "cannot use the file: \(reason)" }
    var status = stat()
    guard lstat(path, &status) == 0 else { return "the file is missing: \(reason)" }
    guard status.st_mode & S_IFMT == S_IFLNK else { return "cannot use the file: \(reason)" }
    return "the file is a symbolic link that leads nowhere"
  }

  /// The file may exist, but under a name that cannot be passed.
  private static func notUTF8(_ path: String) -> MAMError {
    MAMError(
      .fileUnavailable, "cannot use the file: its path contains U+FFFD, which stands for bytes that are not UTF-8",
      hint: "Rename the file or folder so that its name is UTF-8", path: path, fault: FileFault(number: ENOENT))
  }

  /// `path` is the folder of the file. Nothing is there, or only a symbolic link that leads nowhere.
  static func noFolder(_ path: String) -> MAMError {
    let fault = FileFault(number: ENOENT)
    var status = stat()
    guard lstat(path, &status) == 0 else {
      return MAMError(
        .fileUnavailable, "the folder of the file does not exist", hint: "Create the folder first, or use another path",
        path: path, fault: fault)
    }
    return MAMError(
      .fileUnavailable, "the folder of the file is a symbolic link that leads nowhere",
      hint: "Create the folder that the link names, or use another path", path: path, fault: fault)
  }

  /// `limit` is in bytes of plain text.
  static func tooLarge(_ path: String, limit: UInt64) -> MAMError {
    MAMError(
      .fileUnavailable, "the file would be too large: it can have at most \(limit) bytes",
      hint: "Use a smaller offset or length, or several files", path: path, fault: FileFault(number: EFBIG))
  }

  /// A new file cannot have this path. `what` is that file, such as "copy".
  static func taken(_ path: String, _ what: String, by kind: NodeStatus.Kind?, hint: String) -> MAMError {
    MAMError(
      .fileUnavailable, "the \(what) was not created: \(kind?.text ?? "a file") already exists at its path",
      hint: hint, path: path, fault: FileFault(number: EEXIST))
  }

  /// The tag of a page is wrong, or the page is not one.
  static func damagedPage(_ path: String, _ page: UInt64, _ range: Range<UInt64>) -> MAMError {
    MAMError(
      .fileDamaged, "page \(page) of the file is damaged: bytes \(range.lowerBound) to \(range.upperBound) are lost",
      hint: "The other pages can be read. Write these bytes again, or restore a good copy of the file", path: path,
      fault: FileFault(page: page, range: range))
  }

  static func damagedHeader(_ path: String, _ what: String) -> MAMError {
    MAMError(
      .fileDamaged, "the \(what) of the encrypted file is damaged", hint: "Restore a good copy of the file",
      path: path, fault: FileFault())
  }

  static func damagedRecord(_ path: String) -> MAMError {
    MAMError(
      .fileDamaged, "the record of the encrypted file is damaged, so the length of its content is unknown",
      hint: "Recover the pages with mambridge files export, or restore a good copy of the file", path: path,
      fault: FileFault())
  }

  static func truncatedFile(_ path: String, _ page: UInt64, _ range: Range<UInt64>) -> MAMError {
    MAMError(
      .fileTruncated, "the encrypted file was cut off: bytes from \(range.lowerBound) on are lost",
      hint: "The bytes before can be read. Restore a good copy of the file", path: path,
      fault: FileFault(page: page, range: range))
  }

  /// Nothing is left of the file, so even its former length is unknown.
  static func emptiedFile(_ path: String) -> MAMError {
    MAMError(
      .fileTruncated, "the encrypted file was cut off: all of its content is lost",
      hint: "Restore a good copy of the file, or open it with the flag \"truncate\" to start empty", path: path,
      fault: FileFault())
  }

  static func noFileKey(_ path: String) -> MAMError {
    MAMError(
      .noFileKey, "this app has no key for the encrypted file",
      hint: "It was encrypted by another app, on another device or in another state folder, or its account was wiped",
      path: path)
  }

  /// OpenSSL ran out of memory, or got no random bytes.
  static func cannotEncrypt(_ path: String, _ error: CryptographyError) -> MAMError {
    MAMError(.failedToEncryptData, "cannot encrypt the file: \(error)", hint: "Try again", path: path)
  }

  /// `nil` if the system's own text is clear.
  private static func reason(_ number: Int32) -> String? {
    switch number {
    case ENOTDIR: "a folder in its path is a file"
    case EISDIR: "it is a folder"
    case ELOOP: "it is a symbolic link"
    case ENXIO: "it is a pipe, a socket or a device"
    default: nil
    }
  }

  private static func fileHint(_ number: Int32) -> String {
    switch number {
    case ENOENT: "Use the path of an existing file"
    case EACCES, EPERM: "Give this user access to the file and its folder"
    case EROFS: "Open the file with the flag \"readOnly\", or use a path on another file system"
    case ENOSPC, EDQUOT: "Free some space and try again"
    case EISDIR, ENXIO: "Use the path of a regular file"
    case ENOTDIR: "Correct the path: only its last part can be a file"
    case EEXIST: "Leave out the flag \"exclusive\", or use another path"
    case ELOOP: "Use the path of the file itself: symbolic links are not followed"
    case EFBIG: "Keep the file below the size limit"
    case EMFILE, ENFILE: "Close handles that you do not need"
    case EBADF: "Open the file with flags that allow this operation"
    default: "Check the path and its file system"
    }
  }
}

extension MAMError {
  /// The file cannot have an owner, or its content cannot be replaced.
  static func unsuitable(_ path: String, _ obstacle: NodeStatus.Obstacle, to action: String = "protect") -> MAMError {
    var error = MAMError(
      .unsuitableFile, "cannot \(action) the file: \(obstacle.text)", hint: obstacle.hint, path: path)
    if obstacle.isFolder { error.fileStatus = .operationOnDirectory }
    return error
  }

  static func inUse(_ path: String) -> MAMError {
    MAMError(
      .fileInUse, "the file is in use: it is open for writing, or is being replaced",
      hint: "Close the file everywhere, including handles of this server, and try again", path: path,
      fault: FileFault(number: EAGAIN))
  }

  static func inUse(_ path: String, by holder: String) -> MAMError {
    MAMError(
      .fileInUse, "the file is in use: \(holder) holds its lock",
      hint: "Try again. If this goes on, end the process that holds the lock",
      path: path, fault: FileFault(number: EAGAIN))
  }

  static func notKept(_ path: String, _ attribute: String, _ number: Int32? = nil) -> MAMError {
    let reason = number.map { ": \(SystemError(number: $0).text)" } ?? ""
    return MAMError(
      .attributeNotKept, "the file was not changed, because it would lose its \(attribute)\(reason)",
      hint: "Remove the attribute, or run mambridge as a user who may set it", path: path,
      fault: FileFault(number: number))
  }

  package static let stopped = MAMError(.cancelled, "cancelled; nothing was changed")
}

extension CommitPoint {
  /// The current call takes effect from here on. Throws `stopped` if nobody waits for it any longer.
  package static func passCurrent() throws(MAMError) {
    guard current?.pass() ?? true else { throw .stopped }
  }
}
