// HTTPServer is HTTP/1.1 on SwiftNIO, for the bridge and for the tenant service. It reads requests with limits of sizes
// and times, checks what a parser leaves out, writes responses, and ends connections in good order. It knows no path
// and no token: an `HTTPApplication` answers.
//
// Connection/ serves one connection. Listening/ accepts connections, limits how many there are, and ends them together.
// TLS is a handler that the owner adds, so that only a program that needs TLS links it.

import NIOCore
import NIOHTTP1
import Support

/// Serves HTTP over one channel, on its event loop. Handles one request at a time, and reads on when the response is
/// written: a client that does not read holds one response in memory.
package final class HTTPConnection: ChannelInboundHandler {
  package typealias InboundIn = HTTPServerRequestPart
  package typealias OutboundOut = HTTPServerResponsePart

  enum State {
    case waitingForHead
    case takingBody(HTTPRequestHead, RequestTarget, limit: Int)
    /// The application is about to return the work.
    case beginning(HTTPRequestHead)
    case working(any HTTPWork, HTTPRequestHead)
    /// The kernel has not taken all of the response.
    case writing(isLast: Bool)
    /// The last response is being sent; further input is dropped.
    case ending
  }

  enum Item {
    case part(HTTPServerRequestPart)
    /// A failure after the preceding items.
    case failure(HTTPParserError)

    /// Overwrites the received bytes, which may be a PIN or a token.
    func clear() {
      if case .part(.body(let bytes)) = self { bytes.clear() }
    }
  }

  let application: any HTTPApplication
  let limits: HTTPConnectionLimits
  private let onBusy: (Bool) -> Void
  private let onEnd: () -> Void
  package let handle: HTTPConnectionHandle
  /// `nil` once the channel is closed.
  package private(set) var context: ChannelHandlerContext?
  var state = State.waitingForHead
  /// The received part of an accepted body.
  var body: [ClearedBytes] = []
  var bodyBytes = 0
  /// Received items that were not handled yet. While there are any, no more are read.
  private var items = CircularBuffer<Item>()
  private var timer: Scheduled<Void>?
  private var isReading = false
  private var isAdvancing = false
  private var peerHasEnded = false
  /// Whether the server is shutting down.
  package private(set) var isClosing = false
  /// Whether everything has been written.
  private var isWritten = false

  /// Must run on the event loop. Calls `onBusy` when an answer begins and when it is written, and `onEnd` once when the
  /// channel is closed and all work is done.
  package init(
    _ application: any HTTPApplication, limits: HTTPConnectionLimits, eventLoop: any EventLoop,
    onBusy: @escaping (Bool) -> Void = { _ in }, onEnd: @escaping () -> Void
  ) {
    (self.application, self.limits, self.onBusy, self.onEnd) = (application, limits, onBusy, onEnd)
    handle = HTTPConnectionHandle(eventLoop)
    handle.box.value = self
  }

  /// Replaces the running timer.
  package func startTimer(_ amount: TimeAmount, _ body: @escaping (HTTPConnection) -> Void) {
    stopTimer()
    timer = context?.eventLoop.assumeIsolated().scheduleTask(in: amount) { body(self) }
  }

  func stopTimer() {
    timer?.cancel()
    timer = nil
  }

  /// Whether an answer is being made.
  package var isWorking: Bool { if case .working = state { true } else { false } }

  func reportBusy(_ isBusy: Bool) { onBusy(isBusy) }
}

/// Reaches a connection from any thread, as long as it is there.
package struct HTTPConnectionHandle: Sendable {
  fileprivate let box: NIOLoopBoundBox<HTTPConnection?>
  package let eventLoop: any EventLoop

  fileprivate init(_ eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
    box = NIOLoopBoundBox(nil, eventLoop: eventLoop)
  }

  /// Runs on the event loop, later.
  package func execute(_ body: @escaping @Sendable (HTTPConnection) -> Void) {
    eventLoop.execute { if let connection = box.value { body(connection) } }
  }
}

// MARK: - Events of the channel

extension HTTPConnection {
  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
  }

  package func channelActive(context: ChannelHandlerContext) {
    startTimer(limits.firstHead) { $0.refuse(.lateHead, nil) }
    advance()
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let item = Item.part(unwrapInboundIn(data))
    if case .ending = state { return item.clear() }
    items.append(item)
  }

  package func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    advance()
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
    if case .ending = state { return }
    items.append(.failure(error))
    advance()
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
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

  package func channelInactive(context: ChannelHandlerContext) {
    loseChannel()
    context.fireChannelInactive()
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    loseChannel()
  }

  /// Still finishes the work that has begun; its answer is dropped.
  private func loseChannel() {
    guard context != nil else { return }
    context = nil
    stopTimer()
    dropItems()
    peerDidEnd()
    if case .working = state { return }
    leave()
  }

  private func dropItems() {
    for item in items { item.clear() }
    items.removeAll()
    dropBody()
  }

  func leave() {
    guard handle.box.value != nil else { return }
    handle.box.value = nil
    onEnd()
  }
}

// MARK: - Reading, ending

extension HTTPConnection {
  /// Does what can be done, then reads on or ends.
  package func advance() {
    // What is done here may call this again.
    guard !isAdvancing else { return }
    isAdvancing = true
    while context != nil, isReadyForItem, let item = items.popFirst() { take(item) }
    isAdvancing = false
    guard let context, items.isEmpty, isReadyForItem else { return }
    if case .waitingForHead = state, peerHasEnded || isClosing { end(context) }
    if case .ending = state, peerHasEnded { return closeWithPeer(context) }
    guard !isReading, !peerHasEnded else { return }
    isReading = true
    context.read()
  }

  private var isReadyForItem: Bool {
    switch state {
    case .beginning, .working, .writing: false
    case .waitingForHead, .takingBody, .ending: true
    }
  }

  private func peerDidEnd() {
    switch state {
    case .working(let work, _): work.clientDidEnd()
    case .takingBody: if let context { end(context) }
    default: break
    }
  }

  private func serverDidEnd() {
    switch state {
    case .working(let work, _): work.serverDidEnd()
    case .takingBody(let head, _, _): if !limits.awaitsBodiesAtEnd { refuse(.shuttingDown, head) }
    default: break
    }
  }

  private func abandon() {
    switch state {
    case .working(let work, _):
      guard !work.abandon() else { return }
      state = .ending
      context == nil ? leave() : context?.close(promise: nil)
    case .writing: context?.close(promise: nil)
    default: if let context { end(context) }
    }
  }

  /// Closes once everything is written and, if the limits say so, the peer has ended, too. Closing a socket with unread
  /// bytes would reset the connection and lose what the peer has not read.
  package func end(_ context: ChannelHandlerContext) {
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
    guard let lingering = limits.lingering, !peerHasEnded else { return context.close(promise: nil) }
    context.close(mode: .output, promise: nil)
    startTimer(lingering) { $0.context?.close(promise: nil) }
  }

  private func closeWithPeer(_ context: ChannelHandlerContext) {
    if isWritten { context.close(promise: nil) }
  }
}

extension ByteBuffer {
  /// Overwrites the readable bytes in place, because a copy would leave them in memory. For the only reader of the
  /// bytes of a channel, which may be a PIN or a token.
  package func clear() {
    withUnsafeReadableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(mutating: start), count: bytes.count).clear()
    }
  }
}
