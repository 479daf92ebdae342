import Glibc
import NIOCore

extension Channel {
  /// The user whose process connected a unix socket.
  func peerUser() -> EventLoopFuture<uid_t> {
    guard let options = self as? any SocketOptionProvider else {
      return eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }
    let found: EventLoopFuture<PeerCredentials> = options.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
    return found.map(\.user)
  }
}

/// `struct ucred`, which the headers show to GNU programs only.
private struct PeerCredentials {
  let process: pid_t
  let user: uid_t
  let group: gid_t
}
