import HTTP
import Support

/// One line of the access log. Without the query, headers and bodies, which may hold secrets or names.
struct AccessLine: Sendable {
  private static let longestPath = 200

  let text: String

  init(
    _ request: HTTPRequest, _ response: HTTPResponse, peer: String, user: String?, id: String, _ duration: Duration
  ) {
    let path = request.url.prefix { $0 != "?" }.prefix(Self.longestPath)
    let milliseconds = Int((duration / .milliseconds(1)).rounded())
    text = """
      request method=\(Self.printable(request.method.prefix(16))) path=\(Self.printable(path)) \
      status=\(response.status) ms=\(milliseconds) bytes=\(response.body.count) peer=\(Self.printable(peer)) \
      user=\(Self.printable(user ?? "-")) id=\(id)
      """
  }

  /// With `?` for what could break the line or the fields.
  static func printable(_ text: some StringProtocol) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.map { $0.value > 0x20 && $0.value < 0x7F || $0 == " " ? $0 : "?" }))
  }
}
