import Glibc

/// One end of standard input or output, read and written without ever waiting for a slow peer.
///
/// The flags of the inherited descriptor stay as they are, for the shell shares them: a pipe is opened anew through
/// /proc with O_NONBLOCK, a socket is used with MSG_DONTWAIT, files and terminals as they are.
final class ByteChannel {
  enum Outcome: Equatable {
    case bytes(Int)
    case wouldBlock
    case closed
    case failed(errno: Int32)
  }

  private enum Kind { case plain, socket }

  let descriptor: Int32
  private let kind: Kind
  private let isOwned: Bool

  init(_ inherited: Int32, for access: Int32) {
    var status = stat()
    fstat(inherited, &status)
    let type = status.st_mode & S_IFMT
    let reopened = type == S_IFIFO ? open("/proc/self/fd/\(inherited)", access | O_NONBLOCK | O_CLOEXEC) : -1
    kind = type == S_IFSOCK ? .socket : .plain
    isOwned = reopened >= 0
    descriptor = isOwned ? reopened : inherited
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    outcome {
      kind == .socket
        ? recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        : Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    outcome {
      kind == .socket
        ? send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        : Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    }
  }

  private func outcome(_ call: () -> Int) -> Outcome {
    while true {
      let count = call()
      if count > 0 { return .bytes(count) }
      if count == 0 { return .closed }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      case ECONNRESET, EPIPE: return .closed
      default: return .failed(errno: errno)
      }
    }
  }
}
