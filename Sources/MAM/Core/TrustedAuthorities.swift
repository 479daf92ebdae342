import Cryptography
import Glibc
import Support

/// The trust store of the system, opened once, and again when its file or a folder is another than before: to open it takes
/// a hundred times as long as to verify a chain.
final class TrustedAuthorities: Sendable {
  private struct Opened {
    let store: TrustStore
    let stamps: [PathStamp?]
  }

  private let opened = Lock<Opened?>(nil)

  /// `paths` are what it depends on.
  func store(
    at paths: [String], _ open: () throws(CryptographyError) -> TrustStore
  ) throws(CryptographyError) -> TrustStore {
    // Taken first: what changes meanwhile is seen at the next call.
    let stamps = paths.map(PathStamp.init)
    if let known = opened.withLock({ $0 }), known.stamps == stamps { return known.store }
    let store = try open()
    opened.withLock { $0 = Opened(store: store, stamps: stamps) }
    return store
  }
}

/// What is other when a file, or the list of a folder, has changed.
private struct PathStamp: Equatable {
  private let device: dev_t
  private let inode: ino_t
  private let size: off_t
  private let seconds, nanoseconds: Int

  /// Nil where nothing is there. Links are followed.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
    (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
  }
}
