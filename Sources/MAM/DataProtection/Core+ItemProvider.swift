import Model

extension Core {
  /// Whose the content is. Nil for null, for what was never protected, and where there is no content.
  package func protectionInfo(_ provider: ItemProvider?) throws(MAMError) -> Account? {
    guard let provider else { return nil }
    if let data = provider.data { return try protectionInfo(data.bytes) }
    guard let path = provider.path ?? provider.url.flatMap(FileURL.init)?.path else { return nil }
    return try AbsolutePath(path).map { path throws(MAMError) in try owner(ofContentAt: path) } ?? nil
  }
}

/// An address of a file on this machine (RFC 8089): file:///path, with or without localhost, percent-encoded.
struct FileURL {
  let path: String

  /// Nil for any other address.
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), text[..<colon].lowercased() == "file" else { return nil }
    var rest = text[text.index(after: colon)...].prefix { $0 != "?" && $0 != "#" }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let host = rest.prefix { $0 != "/" }
      guard host.isEmpty || host.lowercased() == "localhost" else { return nil }
      rest = rest.dropFirst(host.count)
    }
    guard rest.hasPrefix("/"), let path = Self.decode(rest.utf8) else { return nil }
    self.path = path
  }

  private static func decode(_ text: Substring.UTF8View) -> String? {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
