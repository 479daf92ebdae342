extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "072d01287586e2c1303b6293788d3c19d77e685a7d710ae214d11ac4c43cb7db"
}
