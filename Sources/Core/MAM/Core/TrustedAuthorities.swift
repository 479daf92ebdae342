import Cryptography
import Glibc
import Support

/// The trust store of the system. It is opened once, and again if its file or a folder has changed, because opening it
/// takes a hundred times as long as verifying a chain.
final class TrustedAuthorities: Sendable {
  private struct Opened {
    let store: TrustStore
    let stamps: [PathStamp?]
  }

  private let opened = Lock<Opened?>(nil)

  /// `paths` are the files and folders that the store depends on.
  func store(
    at paths: [String], _ open: () throws(CryptographyError) -> TrustStore
  ) throws(CryptographyError) -> TrustStore {
    // Taken first, so that the next call sees a change made meanwhile.
    let stamps = paths.map(PathStamp.init)
    if let known = opened.withLock({ $0 }), known.stamps == stamps { return known.store }
    let store = try open()
    opened.withLock { $0 = Opened(store: store, stamps: stamps) }
    return store
  }
}

/// Changes when a file, or the list of a folder, changes.
private struct PathStamp: Equatable {
  private let device: dev_t
  private let inode: ino_t
  private let size: off_t
  private let seconds, nanoseconds: Int

  /// `nil` if nothing is at the path. Follows links.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode, size) = (status.st_dev, status.st_ino, status.st_size)
    (seconds, nanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
  }
}
