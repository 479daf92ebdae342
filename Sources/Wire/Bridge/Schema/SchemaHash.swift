extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "b42b706515ad7908684fe2be455f7fe8cb9329095264aff47b7208f450b2a558"
}
