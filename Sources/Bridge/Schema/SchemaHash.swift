extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "2f03a0aff351eb6247d3e3552cdc81406f04dfb7880c1b7b8e787a4c021c7fd2"
}
