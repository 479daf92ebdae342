extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "4cb574d4f9e26c34032caaddab5ace792ebee9ec69d0b978ec142aaf032ec27f"
}
