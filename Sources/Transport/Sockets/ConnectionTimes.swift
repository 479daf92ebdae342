import NIOCore

/// How long a connection may take for what.
struct ConnectionTimes: Sendable {
  /// Until it is authenticated; over HTTP, until the head of its first request is there.
  var admission = TimeAmount.seconds(10)
  /// For the peer to close after the last reply: to close before it does could lose that reply.
  var lingering = TimeAmount.seconds(1)
  /// Over HTTP, until the next request's head is there.
  var idle = TimeAmount.seconds(60)
  /// Over HTTP, for the whole body of a request.
  var body = TimeAmount.seconds(60)
  /// Between signs of life on a stream of events that has none to tell.
  var heartbeat = TimeAmount.seconds(15)
}
