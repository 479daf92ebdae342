extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "a2a29f56137a182205cdb44e7b30d0f25b27264fdf9f218e59c9e821edae1a90"
}
