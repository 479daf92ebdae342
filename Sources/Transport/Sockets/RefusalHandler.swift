import JSON
import JSONRPC
import NIOCore

/// Tells a peer why it is not served, and closes.
final class RefusalHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let error: RPCError

  init(_ error: RPCError) {
    self.error = error
  }

  func channelActive(context: ChannelHandlerContext) {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("jsonrpc", "2.0")
    writer.name("id")
    writer.null()
    writer.name("error")
    error.encode(to: &writer)
    writer.endObject()
    let line = context.channel.allocator.buffer(bytes: writer.bytes + [UInt8(ascii: "\n")])
    context.writeAndFlush(wrapOutboundOut(line), promise: nil)
    context.close(promise: nil)
  }
}
