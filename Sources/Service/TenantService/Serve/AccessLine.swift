import HTTP
import Support

/// One line of the access log. Without the query, headers and bodies, which may hold secrets or names.
package struct AccessLine: Sendable {
  private static let longestPath = 200

  package let text: String

  package init(
    _ request: HTTPRequest, _ response: HTTPResponse, peer: String, user: String?, id: String, _ duration: Duration
  ) {
    let path = request.url.prefix { $0 != "?" }.prefix(Self.longestPath)
    let milliseconds = Int((duration / .milliseconds(1)).rounded())
    text = """
      request method=\(Self.field(request.method.prefix(16))) path=\(Self.field(path)) \
      status=\(response.status) ms=\(milliseconds) bytes=\(response.body.count) peer=\(Self.field(peer)) \
      user=\(Self.field((user ?? "-").prefix(Self.longestPath))) id=\(id)
      """
  }

  /// With `?` for what could break the line or begin another field.
  private static func field(_ text: some StringProtocol) -> String { printable(text, from: 0x21) }

  /// With `?` for what could break the line.
  static func printable(_ text: some StringProtocol) -> String { printable(text, from: 0x20) }

  private static func printable(_ text: some StringProtocol, from first: UInt32) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { (first..<0x7F).contains($0.value) ? $0 : "?" }))
  }
}
