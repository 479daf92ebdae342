import Glibc
import NIOCore
import Support

/// Pauses accepting when the system has no descriptor or memory for another connection. Without a pause, a listener
/// would try again at once, and use a whole core until there is room.
///
/// Logs one line when a shortage begins. It is over when accepting has not failed for a minute.
final class AcceptPause: ChannelInboundHandler {
  typealias InboundIn = any Channel

  private static let pause = TimeAmount.milliseconds(250)
  private static let calm = TimeAmount.minutes(1)

  private let log: @Sendable (String) -> Void
  private var timer: Scheduled<Void>?
  private var lastFailure: NIODeadline?

  init(log: @escaping @Sendable (String) -> Void) {
    self.log = log
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let number = (error as? IOError)?.errnoCode, let reason = Self.reason(number) else {
      return context.fireErrorCaught(error)
    }
    let now = NIODeadline.now()
    if lastFailure.map({ now - $0 > Self.calm }) ?? true { log("Cannot accept connections for now: \(reason)") }
    lastFailure = now
    setAccepting(false, context)
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.setAccepting(true, context) }
  }

  /// Not reading is not enough: after a failure, SwiftNIO still has the read that failed, and would try it again.
  private func setAccepting(_ isAccepting: Bool, _ context: ChannelHandlerContext) {
    do {
      try context.channel.syncOptions?.setOption(.autoRead, value: isAccepting)
    } catch {
      context.fireErrorCaught(error)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

  /// `nil` for another failure.
  private static func reason(_ number: CInt) -> String? {
    switch number {
    case EMFILE:
      "this process has too many open files. Close connections, or raise its limit (ulimit -n, or LimitNOFILE= of "
        + "systemd)."
    case ENFILE: "the system has too many open files. Close programs, or raise fs.file-max."
    case ENOBUFS, ENOMEM: "the system is out of memory. Close programs."
    default: nil
    }
  }
}
