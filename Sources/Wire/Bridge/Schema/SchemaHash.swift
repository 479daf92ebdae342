extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "c9262965545e8a5ded6173e152b97f7a2c2c7f2d2f04cb9cb571d68805795c37"
}
