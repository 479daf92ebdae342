extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "32054b8ee45982da561d6513327fed2e1c690d8b391ada2673ff2f99f50a73cc"
}
