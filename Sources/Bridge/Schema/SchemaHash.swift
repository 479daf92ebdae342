extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "56476d344a34bc313e66aafebd90e98f956c65ccec4ef2e10657c22f7e7a62d4"
}
