import NIOCore
import NIOHTTP1
import Support

/// Answers the requests of one connection, one at a time. All calls come on the event loop of the connection.
package protocol HTTPApplication: AnyObject {
  /// Looks at a request before its body comes, and returns how many bytes the body may have. Throws the refusal of the
  /// request.
  func accept(_ head: HTTPRequestHead, at target: RequestTarget) throws(HTTPReply) -> Int

  /// Starts to answer an accepted request. The connection must get `finish` for the returned work, now or later.
  func begin(
    _ head: HTTPRequestHead, at target: RequestTarget, _ body: [ClearedBytes], on connection: HTTPConnection
  ) -> any HTTPWork

  /// The refusal of a request that cannot be served; `nil` to close without an answer. There is no head if it could not
  /// be read.
  func refusal(_ fault: HTTPFault, of head: HTTPRequestHead?) -> HTTPReply?

  /// How long the connection may wait for its next request.
  var idleTime: TimeAmount { get }
}

/// An answer that is being made. All calls come on the event loop of the connection.
package protocol HTTPWork: AnyObject {
  /// The client is gone, or sends no more: nobody may wait for the answer.
  func clientDidEnd()
  /// The server ends. What only waits must answer now.
  func serverDidEnd()
  /// The time of grace is over: the answer must come now, or the connection closes without it. Returns whether it
  /// comes.
  func abandon() -> Bool
}

/// A response with its whole body.
package struct HTTPReply: Error {
  package var status: HTTPResponseStatus
  package var fields: [(name: String, value: String)]
  package var body: [ByteBuffer]
  /// Whether the connection is closed afterwards in any case.
  package var closes: Bool

  package init(
    _ status: HTTPResponseStatus, _ fields: [(name: String, value: String)] = [], body: [ByteBuffer] = [],
    closes: Bool = false
  ) {
    (self.status, self.fields, self.body, self.closes) = (status, fields, body, closes)
  }
}

/// Why a connection cannot serve a request.
package enum HTTPFault: Error {
  /// The bytes are not a request of HTTP/1.1.
  case malformed(HTTPParserError)
  /// The head breaks a rule of RFC 9112 that a parser does not check. The text is a sentence.
  case badHead(String)
  /// The body has a content coding.
  case encodedBody
  case tooLarge
  /// The head of the first request has not come in time.
  case lateHead
  case lateBody
  case noMemory
  case shuttingDown
}

/// What a server allows a connection.
package struct HTTPConnectionLimits: Sendable {
  /// Bytes of one header field, and of all.
  package var fieldBytes = 8 << 10
  package var headBytes = 16 << 10
  package var fieldCount = 64
  /// From the start of the connection to the end of the first head.
  package var firstHead = TimeAmount.seconds(10)
  /// For the whole body of a request.
  package var body = TimeAmount.seconds(60)
  /// How long the client may read nothing of a response; `nil` for no limit.
  package var write: TimeAmount?
  /// For the client to close after the last response, because closing first could lose that response; `nil` to close at
  /// once.
  package var lingering: TimeAmount?
  /// Whether bodies that are arriving when the server ends are waited for.
  package var awaitsBodiesAtEnd = false

  package init() {}
}
