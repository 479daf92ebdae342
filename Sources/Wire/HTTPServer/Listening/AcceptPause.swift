import Glibc
import NIOCore
import Support

/// Pauses accepting when the system has no descriptor or memory for another connection. Without a pause, a listener
/// would try again at once, and use a whole core until there is room.
///
/// Logs one line when the shortage begins; it ends with the next connection that is accepted.
final class AcceptPause: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias OutboundIn = any Channel

  private static let pause = TimeAmount.milliseconds(250)

  private let log: @Sendable (String) -> Void
  private var timer: Scheduled<Void>?
  private var isPausing = false
  private var isShort = false

  init(log: @escaping @Sendable (String) -> Void) {
    self.log = log
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let number = (error as? IOError)?.errnoCode, let reason = Self.reason(number) else {
      return context.fireErrorCaught(error)
    }
    if !isShort { log("Cannot accept connections for now: \(reason)") }
    (isShort, isPausing) = (true, true)
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) {
      self.isPausing = false
      context.read()
    }
  }

  func read(context: ChannelHandlerContext) {
    if !isPausing { context.read() }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isShort = false
    context.fireChannelRead(data)
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
