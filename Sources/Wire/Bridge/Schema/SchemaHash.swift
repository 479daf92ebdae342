extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "50ceba34f1e707a613e2452c11fc4f527d058eb2db2a8aebee684108001daaa3"
}
