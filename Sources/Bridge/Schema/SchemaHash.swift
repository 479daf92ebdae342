extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "16033fcb103980fea4fd662f41ad1d6a312b9572f25822753f68737dfaed8ad8"
}
