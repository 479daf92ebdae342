import JSONRPC
import NIOCore

/// Serves one session over one channel, on its event loop. Reads only while the session wants input.
final class SessionChannelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Sent down the pipeline when the server ends: as if the peer had sent its last byte.
  struct EndOfInput: Sendable {}
  /// Sent when the time of grace is over.
  struct Abandon: Sendable {}

  /// How long a connection may stay unauthenticated.
  static let admissionTime = TimeAmount.seconds(10)

  private let admission: Admission
  private let makeSession: (@escaping @Sendable () -> Void) -> Session
  private var session: Session?
  private var admissionTimer: Scheduled<Void>?
  private var isWaitingForRead = false

  init(admission: Admission, makeSession: @escaping (@escaping @Sendable () -> Void) -> Session) {
    self.admission = admission
    self.makeSession = makeSession
  }

  func channelActive(context: ChannelHandlerContext) {
    let loop = context.eventLoop
    let bound = NIOLoopBound((self, context), eventLoop: loop)
    session = makeSession { loop.execute { bound.value.0.resume(bound.value.1) } }
    admissionTimer = loop.assumeIsolated().scheduleTask(in: Self.admissionTime) {
      if !self.admission.isOpen { context.close(promise: nil) }
    }
    advance(context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isWaitingForRead = false
    unwrapInboundIn(data).withUnsafeReadableBytes { session?.receive($0) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isWaitingForRead = false
    advance(context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    advance(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed, is EndOfInput: session?.endOfInput()
    case is Abandon: session?.abandon()
    default: return context.fireUserInboundEventTriggered(event)
    }
    advance(context)
  }

  /// Work that is under way still ends; its replies go nowhere.
  func channelInactive(context: ChannelHandlerContext) {
    admissionTimer?.cancel()
    session?.endOfInput()
    session?.discardOutput()
    session = nil
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  private func resume(_ context: ChannelHandlerContext) {
    guard session != nil else { return }
    session?.run()
    advance(context)
  }

  /// Writes what can be written, then reads on, or closes when all is done.
  private func advance(_ context: ChannelHandlerContext) {
    guard let session else { return }
    flush(session, context)
    if session.isFinished && !session.hasOutput { return context.close(promise: nil) }
    guard session.wantsInput, !isWaitingForRead else { return }
    isWaitingForRead = true
    context.read()
  }

  private func flush(_ session: Session, _ context: ChannelHandlerContext) {
    while session.hasOutput && context.channel.isWritable {
      let chunk = session.withOutput { bytes in
        context.channel.allocator.buffer(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix(1 << 18)))
      }
      session.consumeOutput(chunk.readableBytes)
      context.writeAndFlush(wrapOutboundOut(chunk), promise: nil)
    }
  }
}
