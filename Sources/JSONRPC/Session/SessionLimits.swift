/// What one connection may ask of the server.
package struct SessionLimits: Sendable {
  package var messageBytes = 64 << 20
  package var scan = ScanLimits()
  package var replyBytes = 64 << 20
  /// Calls whose work is not done; one more gets -32004. In a script those are what waits for events.
  package var inFlight = 1024
  /// Requests of a script that are read and not begun, elements of batches included; reading pauses there.
  package var waitingRequests = 1024
  /// Bytes of those; reading pauses there too.
  package var waitingBytes = 64 << 20
  /// Replies not yet taken by the host, in bytes; reading pauses there.
  package var outputBytes = 8 << 20
  /// A message before authentication.
  package var unauthenticatedMessageBytes = 4096

  package init() {}
}
