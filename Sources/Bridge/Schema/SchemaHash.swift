extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "0d28fedcc3d39b748f660e3107f50b7aac05a197cb107ca6b83b44c7cd12ad59"
}
