import NIOCore
import NIOHTTP1

extension ChannelPipeline.SynchronousOperations {
  /// Adds the parser, the writer and the connection, in this order.
  package func addHTTP(_ connection: HTTPConnection) throws {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = connection.limits.fieldBytes
    limits.maxHeaderListSize = connection.limits.headBytes
    limits.maxHeaderFieldCount = connection.limits.fieldCount
    try addHandler(ByteToMessageHandler(HTTPRequestDecoder(limitConfiguration: limits)))
    try addHandler(HTTPResponseEncoder())
    try addHandler(NIOHTTPResponseHeadersValidator())
    try addHandler(connection)
  }
}
