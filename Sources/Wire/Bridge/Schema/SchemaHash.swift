extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "a9f30d0c2b4fc96fa149d11248014fbaca0a17343f421562d8e09fc1e4a7ebd2"
}
