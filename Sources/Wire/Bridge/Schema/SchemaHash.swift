extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "f7fb953852b607d12cdc0d87a2b3f6a1033288b0a415dddea0e95cfd3ed6abc6"
}
