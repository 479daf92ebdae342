extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "4f194f3da93418f77e7461d6768f09ea32cc8ea15f5a13d3e29f57591be42d0c"
}
