import HTTPServer
import JSONRPC
import NIOCore
import Support

/// Serves one session over one channel, on its event loop. A thread beside the loop reads long messages. Reads only
/// while the session wants input.
final class SessionChannelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// `nil` if every client may connect.
  private let admission: Admission?
  private let session: LoanedSession<Session>
  private let times: ConnectionTimes
  private let onEnd: @Sendable () -> Void
  /// This handler, as long as the session may wake it.
  private let awake: NIOLoopBoundBox<SessionChannelHandler?>
  /// `nil` once the channel is closed.
  private var context: ChannelHandlerContext?
  private var admissionTimer: Scheduled<Void>?
  private var isReading = false
  private var peerHasEnded = false
  private var isEnding = false
  /// Whether everything has been written.
  private var isWritten = false

  /// Must run on the event loop. Calls `onEnd` when the channel is closed and all work of the session is done.
  init(
    admission: Admission?, times: ConnectionTimes, eventLoop: any EventLoop, onEnd: @escaping @Sendable () -> Void,
    makeSession: (@escaping @Sendable () -> Void) -> sending Session
  ) {
    let awake = NIOLoopBoundBox<SessionChannelHandler?>(nil, eventLoop: eventLoop)
    self.admission = admission
    self.times = times
    self.onEnd = onEnd
    self.awake = awake
    let session = makeSession { eventLoop.execute { awake.value?.resume() } }
    session.sharesThread = true
    self.session = LoanedSession(session, on: eventLoop) { awake.value?.proceed() }
    awake.value = self
  }

  private func resume() {
    session.perform { $0.run() }
    proceed()
  }

  private func proceed() {
    if let context { advance(context) } else { leaveWhenFinished() }
  }
}

// MARK: - Events of the channel

extension SessionChannelHandler {
  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
  }

  func channelActive(context: ChannelHandlerContext) {
    if let admission { startTimer(admission, on: context.eventLoop) }
    advance(context)
  }

  private func startTimer(_ admission: Admission, on eventLoop: any EventLoop) {
    admissionTimer = eventLoop.assumeIsolated().scheduleTask(in: times.admission) {
      if !admission.isOpen { self.context?.close(promise: nil) }
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    guard !isEnding else { return bytes.clear() }
    session.perform { session in
      bytes.withUnsafeReadableBytes { session.receive($0) }
      bytes.clear()
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    advance(context)
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    advance(context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed:
      peerHasEnded = true
      session.perform { $0.endOfInput() }
    case ListenerEvent.endOfInput: session.perform { $0.endOfInput() }
    case ListenerEvent.abandon: session.perform { $0.abandon() }
    default: return context.fireUserInboundEventTriggered(event)
    }
    advance(context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    loseChannel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    loseChannel()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }

  /// Still handles the received messages; the replies are dropped.
  private func loseChannel() {
    guard context != nil else { return }
    context = nil
    admissionTimer?.cancel()
    session.perform { $0.endOfInput() }
    session.perform { $0.discardOutput() }
    leaveWhenFinished()
  }

  private func leaveWhenFinished() {
    guard !session.isAway, session.ask({ $0.isFinished }), awake.value != nil else { return }
    awake.value = nil
    onEnd()
  }
}

// MARK: - Reading, writing, ending

extension SessionChannelHandler {
  /// Writes what can be written, then reads on, or closes when everything is done.
  private func advance(_ context: ChannelHandlerContext) {
    flush(context)
    guard !session.isAway else { return }
    if session.ask({ $0.isFinished && !$0.hasOutput }) { end(context) }
    guard session.ask({ $0.wantsInput }) || isEnding, !isReading, !peerHasEnded else { return }
    isReading = true
    context.read()
  }

  private func flush(_ context: ChannelHandlerContext) {
    while !session.isAway && context.channel.isWritable {
      let chunk = session.ask { session in
        session.withOutput { ByteBuffer(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(1 << 18))) }
      }
      guard chunk.readableBytes > 0 else { return }
      session.perform { $0.consumeOutput(chunk.readableBytes) }
      context.writeAndFlush(wrapOutboundOut(chunk), promise: nil)
    }
  }

  /// Closes once everything is written and the peer has ended, too. Until then, reads and drops its bytes: closing a
  /// socket with unread bytes would reset the connection and lose what the peer has not read.
  private func end(_ context: ChannelHandlerContext) {
    guard !isEnding else { return closeWithPeer(context) }
    isEnding = true
    admissionTimer?.cancel()
    let written: EventLoopFuture<Void> = context.writeAndFlush(wrapOutboundOut(ByteBuffer()))
    written.assumeIsolated().whenComplete { _ in
      self.isWritten = true
      self.context.map(self.closeOutput)
    }
  }

  private func closeOutput(_ context: ChannelHandlerContext) {
    guard !peerHasEnded else { return context.close(promise: nil) }
    context.close(mode: .output, promise: nil)
    context.eventLoop.assumeIsolated().scheduleTask(in: times.lingering) { self.context?.close(promise: nil) }
  }

  private func closeWithPeer(_ context: ChannelHandlerContext) {
    if isWritten && peerHasEnded { context.close(promise: nil) }
  }
}
