extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "1b9d673a355dd130a69f88952b3e690a1006d14759006da1616ea566b9efea33"
}
