/// What a server allows its clients.
package struct ServerLimits: Sendable {
  /// Bytes of the body of a request; more are answered with 413.
  package var bodyBytes = 1 << 20
  /// The time from the start of a connection to the end of the first header, with the TLS handshake.
  package var headerPatience = Duration.seconds(10)
  /// The time from the end of the header of a request to the end of its body; then the answer is 408.
  package var bodyPatience = Duration.seconds(20)
  /// How long a connection may stay open without a request.
  package var idlePatience = Duration.seconds(75)
  /// How long a client may read nothing of a response.
  package var writePatience = Duration.seconds(30)
  /// How long running requests may take after the server was told to end.
  package var endPatience = Duration.seconds(30)

  package init() {}
}
