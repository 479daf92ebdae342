extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "29be530c6159016b3facfa42616a15cbb97544a113592c5c6a886dcf9ec08ff3"
}
