import JSON

/// What answers the requests of one connection.
package protocol MethodHandler: Sendable {
  /// Writes the result at once and returns nil, or returns the work that will have it later.
  ///
  /// Called on the reading thread: what may touch a disk or wait belongs into the work.
  func call(
    _ method: String, _ params: JSONNode?, into writer: inout JSONWriter
  ) throws(RPCError) -> Work?
}

/// A call that runs elsewhere. Its result is JSON text.
package struct Work: Sendable {
  package let run: @Sendable () async throws(RPCError) -> [UInt8]

  package init(_ run: @escaping @Sendable () async throws(RPCError) -> [UInt8]) {
    self.run = run
  }
}
