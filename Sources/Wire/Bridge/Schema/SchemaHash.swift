extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "b8ab14cd42aa7eb3e2655ee2f616cac9a4e5e338f3860297d8a773327c080ebc"
}
