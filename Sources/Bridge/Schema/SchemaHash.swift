extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "e05fd481f66595b650dd8cad767565e85ae846eed064eeec9d4d1998142f8903"
}
