extension OpenRPC {
  /// The SHA-256, in hex, of schema/openrpc.json. Written by scripts/schema, because building the document takes 50 ms.
  static let hash = "399d564f5458f957185623b6cb9db2baffed5850cd6cfdc63ca7c8378acdfd05"
}
