extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "6726acaa64044712159d873c88a27af0046cfe669c57644dfe7427eabb01a921"
}
