extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "1243a56a4bfe9b9c44f901ec3bfc9c8a2317ea028e227af24f96753c897aa547"
}
