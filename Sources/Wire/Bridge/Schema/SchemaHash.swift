extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "bb7b418259be8eee95094cad3a5d6c4723bdf1bcb85b8279ffb1af86634a5b8f"
}
