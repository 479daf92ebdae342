extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "03f6335fda4a6e53b851d9a6979abe4a210563b29a17ba03c99f9941b98cb400"
}
