extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "234aec9865682ac404ffc7970063187fe9897e5e1b3064cf3e1709df252f0a8f"
}
