extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "8e0931c798026d15b5a17295c59fc64e440489c9199290e9b7c387e99b6808d2"
}
