extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "f98b5fb344e7f5e95506c3e4cbf1e44ab2c7f932983f86da8efbd98cef92bdf1"
}
