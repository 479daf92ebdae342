import Glibc
import Support

/// Standard input or output, read and written without ever waiting for a slow peer.
///
/// The flags of the inherited descriptor do not change, because the shell shares them: a pipe is reopened through /proc
/// with O_NONBLOCK, a socket is used with MSG_DONTWAIT, and files and terminals are used directly. A pipe that cannot
/// be reopened, because it belongs to another user, is written in pieces that fit.
final class ByteChannel {
  enum Outcome: Equatable {
    case bytes(Int)
    case wouldBlock
    case closed
    case failed(errno: Int32)
  }

  private enum Kind { case plain, socket, blockingPipe }

  let descriptor: Int32
  private let kind: Kind
  private let isOwned: Bool

  /// `reopensPipes` is false in tests of a pipe that cannot be reopened.
  init(_ inherited: Int32, for access: Int32, reopensPipes: Bool = true) {
    var status = stat()
    fstat(inherited, &status)
    let type = status.st_mode & S_IFMT
    let isPipe = type == S_IFIFO
    let reopened =
      isPipe && reopensPipes ? open("/proc/self/fd/\(inherited)", access | O_NONBLOCK | O_CLOEXEC) : -1
    isOwned = reopened >= 0
    descriptor = isOwned ? reopened : inherited
    kind = type == S_IFSOCK ? .socket : isPipe && !isOwned ? .blockingPipe : .plain
  }

  deinit {
    if isOwned { close(descriptor) }
  }

  /// Must be called when the descriptor polls as readable.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
    outcome {
      kind == .socket
        ? recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
        : Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    }
  }

  /// `bytes` must not be empty.
  func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    switch kind {
    case .socket:
      return outcome {
        send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
    case .plain: return outcome { Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
    case .blockingPipe:
      guard isWritable(withinMilliseconds: 0) else { return .wouldBlock }
      return outcome { Glibc.write(descriptor, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF))) }
    }
  }

  /// Also true at the end of the input.
  var isReadable: Bool { isReady(POLLIN, withinMilliseconds: 0) }

  func isWritable(withinMilliseconds milliseconds: Int32) -> Bool {
    isReady(POLLOUT, withinMilliseconds: milliseconds)
  }

  private func isReady(_ events: Int32, withinMilliseconds milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  private func outcome(_ call: () -> Int) -> Outcome {
    let count = uninterrupted(call)
    if count > 0 { return .bytes(count) }
    if count == 0 { return .closed }
    switch errno {
    case EAGAIN: return .wouldBlock
    case ECONNRESET, EPIPE: return .closed
    default: return .failed(errno: errno)
    }
  }
}
