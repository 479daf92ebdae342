extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "53de0258dd79072df897ebf4f9603f31a85a5e5ef05391bca60d3cb8eab13818"
}
