import NIOCore
import NIOHTTP1

/// Tells a client over HTTP why it is not served, whatever it asks, and closes.
final class HTTPRefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = HTTPServerResponsePart

  private let refusal: HTTPRefusal

  init(_ refusal: HTTPRefusal) {
    self.refusal = refusal
  }

  func channelActive(context: ChannelHandlerContext) {
    let body = context.channel.allocator.buffer(string: refusal.message + "\n")
    let fields = [
      ("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", "\(body.readableBytes)"),
      ("Connection", "close"),
    ]
    let head = HTTPResponseHead(
      version: .http1_1, status: refusal.status, headers: HTTPHeaders(refusal.headers.map { ($0, $1) } + fields))
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.close(promise: nil)
  }
}
