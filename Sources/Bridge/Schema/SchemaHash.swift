extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "85449ec1f04a14df9980ea2cfa28c38d7958870de63f0f58600b4b49fc9b59b3"
}
