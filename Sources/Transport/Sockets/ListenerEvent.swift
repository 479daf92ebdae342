/// What a listener tells all of its connections.
enum ListenerEvent: Sendable {
  /// The server ends: as if the peer had sent its last byte.
  case endOfInput
  /// The time of grace is over.
  case abandon
}
