extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "48f030445076cfa3a032b7371336aff8ed63acbcf6d586f273939e8d1d79c92e"
}
