extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "f76c197830310333e87dac7318b963c86a641562d34507510d334e135a052771"
}
