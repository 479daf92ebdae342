import JSONRPC
import NIOCore
import NIOHTTP1
import Support

/// Serves HTTP over one channel, on its event loop. Handles one request at a time, and reads on when it is done.
final class HTTPChannelHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  enum State {
    case waitingForHead
    /// For a request that is answered already, or that has no body.
    case waitingForEnd(HTTPAction)
    case takingBody(HTTPRequestHead)
    case working(ScriptExchange, HTTPRequestHead)
    case streaming(Task<Void, Never>)
    /// The last response is being sent; further input is dropped.
    case ending
  }

  enum HTTPAction {
    case none
    case document(HTTPRequestHead)
    case events(HTTPRequestHead)
    case log(level: String?, HTTPRequestHead)
    case file(PageFiles.File, HTTPRequestHead)
  }

  enum Item {
    case part(HTTPServerRequestPart)
    /// A failure after the preceding items.
    case failure(HTTPRefusal)

    /// Overwrites the received bytes, which may be a PIN or a token.
    func clear() {
      if case .part(.body(let bytes)) = self { bytes.clear() }
    }
  }

  let service: SocketService
  let gate: HTTPGate
  let admission: Admission
  let times: ConnectionTimes
  private let onEnd: @Sendable () -> Void
  /// This handler, as long as other threads may wake it.
  let awake: NIOLoopBoundBox<HTTPChannelHandler?>
  /// `nil` once the channel is closed.
  var context: ChannelHandlerContext?
  var state = State.waitingForHead
  /// The received part of an accepted body.
  var body: [ClearedBytes] = []
  var bodyBytes = 0
  /// Received items that were not handled yet. While there are any, no more are read.
  var items = CircularBuffer<Item>()
  private var timer: Scheduled<Void>?
  private var isReading = false
  private var peerHasEnded = false
  /// Whether the server is shutting down.
  var isClosing = false
  /// Whether everything has been written.
  private var isWritten = false

  /// Must run on the event loop. Calls `onEnd` when the channel is closed and all work is done.
  init(
    service: SocketService, gate: HTTPGate, admission: Admission, times: ConnectionTimes, eventLoop: any EventLoop,
    onEnd: @escaping @Sendable () -> Void
  ) {
    self.service = service
    self.gate = gate
    self.admission = admission
    self.times = times
    self.onEnd = onEnd
    awake = NIOLoopBoundBox<HTTPChannelHandler?>(nil, eventLoop: eventLoop)
    awake.value = self
  }

  /// Replaces the running timer.
  func startTimer(_ amount: TimeAmount, _ body: @escaping (HTTPChannelHandler) -> Void) {
    stopTimer()
    timer = context?.eventLoop.assumeIsolated().scheduleTask(in: amount) { body(self) }
  }

  func stopTimer() {
    timer?.cancel()
    timer = nil
  }
}

// MARK: - Events of the channel

extension HTTPChannelHandler {
  func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
  }

  func channelActive(context: ChannelHandlerContext) {
    startTimer(times.admission) { $0.refuse(.tooSlow) }
    advance()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let item = Item.part(unwrapInboundIn(data))
    if case .ending = state { return item.clear() }
    items.append(item)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    advance()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
    items.append(.failure(HTTPRefusal(error)))
    advance()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    switch event {
    case ChannelEvent.inputClosed:
      peerHasEnded = true
      peerDidEnd()
    case ListenerEvent.endOfInput:
      isClosing = true
      serverDidEnd()
    case ListenerEvent.abandon:
      isClosing = true
      abandon()
    default: return context.fireUserInboundEventTriggered(event)
    }
    advance()
  }

  func channelInactive(context: ChannelHandlerContext) {
    loseChannel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    loseChannel()
  }

  /// Still handles what was received completely; the replies are dropped.
  private func loseChannel() {
    guard context != nil else { return }
    context = nil
    stopTimer()
    dropItems()
    peerDidEnd()
    leaveWhenFinished()
  }

  private func dropItems() {
    for item in items { item.clear() }
    items.removeAll()
  }

  func leaveWhenFinished() {
    if case .working(let exchange, _) = state, !exchange.isFinished { return }
    guard awake.value != nil else { return }
    awake.value = nil
    onEnd()
  }
}

// MARK: - Reading, ending

extension HTTPChannelHandler {
  /// Does what can be done, then reads on or ends.
  func advance() {
    while context != nil, isReadyForItem, let item = items.popFirst() { take(item) }
    guard let context, items.isEmpty, isReadyForItem else { return }
    if case .waitingForHead = state, peerHasEnded || isClosing { end(context) }
    if case .ending = state, peerHasEnded { return closeWithPeer(context) }
    guard !isReading, !peerHasEnded else { return }
    isReading = true
    context.read()
  }

  private var isReadyForItem: Bool {
    switch state {
    case .working, .streaming: false
    case .waitingForHead, .waitingForEnd, .takingBody, .ending: true
    }
  }

  /// Closes once everything is written and the peer has ended, too. Closing a socket with unread bytes would reset the
  /// connection and lose what the peer has not read.
  func end(_ context: ChannelHandlerContext) {
    if case .ending = state { return }
    state = .ending
    stopTimer()
    dropItems()
    let written: EventLoopFuture<Void> = context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer()))))
    written.assumeIsolated().whenComplete { _ in
      self.isWritten = true
      self.context.map(self.closeOutput)
    }
  }

  private func closeOutput(_ context: ChannelHandlerContext) {
    guard !peerHasEnded else { return context.close(promise: nil) }
    context.close(mode: .output, promise: nil)
    startTimer(times.lingering) { $0.context?.close(promise: nil) }
  }

  private func closeWithPeer(_ context: ChannelHandlerContext) {
    if isWritten { context.close(promise: nil) }
  }
}
