extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "b21d6da0846a50229780d62eb3bfdab281436730c7fee672c00a03d8be936e22"
}
