import Cryptography
import Glibc
import Model
import Support

extension SecretBytes {
  private static let maximumLine = 1024
  /// Long enough to type a passphrase.
  fileprivate static let patience = Duration.seconds(60)

  /// Reads byte by byte, because the bytes after the line belong to another reader.
  convenience init(firstLineOf descriptor: Int32) throws(MAMError) {
    var failure: MAMError?
    do throws(CryptographyError) {
      try self.init(capacity: Self.maximumLine + 1) { target throws(CryptographyError) in
        switch readLine(descriptor, into: target) {
        case .success(let count): return count
        case .failure(let error):
          failure = error
          return 0
        }
      }
    } catch {
      throw .cannotMakeKey(error)
    }
    if let failure { throw failure }
  }
}

private func readLine(_ descriptor: Int32, into target: UnsafeMutableRawBufferPointer) -> Result<Int, MAMError> {
  var count = 0
  let deadline = ContinuousClock.now + SecretBytes.patience
  while count < target.count {
    guard hasBytes(descriptor, until: deadline) else { return .failure(.noPassphrase("nothing arrived within 60 s")) }
    let result = uninterrupted { read(descriptor, target.baseAddress.map { $0 + count }, 1) }
    guard result >= 0 else { return .failure(.noPassphrase(SystemError.current.text)) }
    guard result > 0, target[count] != UInt8(ascii: "\n") else {
      return count > 0 ? .success(count) : .failure(.noPassphrase("the first line is empty"))
    }
    count += 1
  }
  return .failure(.noPassphrase("the first line is longer than \(target.count - 1) bytes"))
}

/// Whether a read returns at once. Also true if the read will fail; it then reports why.
private func hasBytes(_ descriptor: Int32, until deadline: ContinuousClock.Instant) -> Bool {
  // `poll` ignores negative descriptors.
  guard descriptor >= 0 else { return true }
  var count: Int32 = 0
  while count == 0 || count < 0 && errno == EINTR {
    guard deadline > .now else { return false }
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    count = poll(&polled, 1, 1000)
  }
  return true
}

extension MAMError {
  fileprivate static func noPassphrase(_ reason: String) -> MAMError {
    MAMError(
      .noSecret, "cannot read the passphrase from the file descriptor: \(reason)",
      hint: "Open the descriptor for reading, for example with --passphrase-fd 3 3<FILE, and provide one line")
  }
}
