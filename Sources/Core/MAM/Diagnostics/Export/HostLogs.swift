import Glibc
import Model
import Support

/// The files that the host adds to an exported archive.
struct HostLogs: Sendable {
  static let maximumCount = 100

  private let paths: [AbsolutePath]
  private let live: LiveState
  private let files: Files

  /// Takes the first `maximumCount` paths.
  init(_ paths: [AbsolutePath], _ live: LiveState, _ files: Files) {
    self.paths = Array(paths.prefix(Self.maximumCount))
    self.live = live
    self.files = files
    if paths.count > Self.maximumCount {
      warn("the host has \(paths.count) logs; the archive has the first \(Self.maximumCount)")
    }
  }

  /// Reads one file at a time, and leaves out files that cannot be read.
  func forEach(_ body: (_ name: String, _ content: [UInt8]) throws(MAMError) -> Void) throws(MAMError) {
    for (index, path) in paths.enumerated() {
      guard let content = content(of: path) else { continue }
      try body("host/\(index + 1)-\(Self.plainName(of: path))", content)
    }
  }

  private func content(of path: AbsolutePath) -> [UInt8]? {
    do throws(MAMError) {
      // The state folder holds keys, which must not leave the machine.
      try files.checkOutsideState(path)
    } catch {
      warn("a log of the host is in the state folder; the archive does not have it")
      return nil
    }
    let descriptor = open(path.text, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return skip(SystemError.current) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return skip(SystemError.current) }
    guard status.st_mode & S_IFMT == S_IFREG else { return skip(SystemError(number: EINVAL)) }
    do throws(SystemError) {
      return try FileContents.read(descriptor)
    } catch {
      return skip(error)
    }
  }

  private func skip(_ error: SystemError) -> [UInt8]? {
    warn("a log of the host cannot be read (\(public: error.text)); the archive does not have it")
    return nil
  }

  private func warn(_ message: LogMessage) {
    guard let log = try? live.refresh().log else { return }
    log.write(.warning, .diagnostics, message)
  }

  /// The name of the file as an archive can have it: short, and in ASCII.
  private static func plainName(of path: AbsolutePath) -> String {
    let name = path.text.split(separator: "/").last ?? ""
    let plain = name.unicodeScalars.suffix(48).map { scalar -> Character in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
      return isPlain || scalar == "." || scalar == "-" || scalar == "_" ? Character(scalar) : "_"
    }
    return String(plain)
  }
}
