extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "a47098316b71faab57098baa258d136deade51a9c6696b4d53f192961ab0bbe3"
}
