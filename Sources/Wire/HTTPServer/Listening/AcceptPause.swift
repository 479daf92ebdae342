import Glibc
import NIOCore
import Support

/// Pauses accepting when the system has no descriptor or memory for another connection, or when only the reserve of
/// descriptors is left. Without a pause, a listener would try again at once, and use a whole core until there is room.
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

  /// Each read accepts one connection, so the check comes in time.
  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(data)
    if let reason = DescriptorReserve.shortage.flatMap(Self.reason) { pause(because: reason, context) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let number = (error as? IOError)?.errnoCode, let reason = Self.reason(number) else {
      return context.fireErrorCaught(error)
    }
    pause(because: reason, context)
  }

  private func pause(because reason: String, _ context: ChannelHandlerContext) {
    let now = NIODeadline.now()
    if lastFailure.map({ now - $0 > Self.calm }) ?? true { log("Cannot accept connections for now: \(reason)") }
    lastFailure = now
    setAccepting(false, context)
    timer?.cancel()
    timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.pause) { self.goOn(context) }
  }

  private func goOn(_ context: ChannelHandlerContext) {
    guard let reason = DescriptorReserve.shortage.flatMap(Self.reason) else { return setAccepting(true, context) }
    pause(because: reason, context)
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
