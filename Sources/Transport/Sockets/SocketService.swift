import JSONRPC

/// What the listeners of a server serve; they share its slots for connections.
package struct SocketService: Sendable {
  package let limits: SessionLimits
  var slots: ConnectionSlots
  /// Compares in constant time.
  let isToken: @Sendable (UnsafeBufferPointer<UInt8>) -> Bool
  /// For a connection that must authenticate by a request, or for one that need not.
  let makeHandler: @Sendable (Admission?) -> any MethodHandler
  /// The text of `GET /openrpc.json`; nil where there is none.
  package var document: (@Sendable () -> String)?
  /// What `GET /events` tells; nil where there is nothing to tell.
  package var events: (any EventStreamSource)?

  package init(
    limits: SessionLimits = SessionLimits(),
    isToken: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Bool,
    makeHandler: @escaping @Sendable (Admission?) -> any MethodHandler
  ) {
    self.limits = limits
    slots = ConnectionSlots(limits: limits)
    self.isToken = isToken
    self.makeHandler = makeHandler
  }
}
