import CTexts
import HTTP

/// A file of the page of a development tenant. It holds nothing of the tenant, so everybody may have it.
enum PageFile {
  private static let types = ["html": "text/html", "js": "text/javascript", "css": "text/css"]
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'",
    "frame-ancestors 'none'", "form-action 'self'",
  ].joined(separator: "; ")

  /// `nil` if there is no such file.
  static func response(_ name: String) -> HTTPResponse? {
    var count = 0
    guard let start = ctexts_development_file(name, &count), let ending = name.split(separator: ".").last,
      let type = types[String(ending)]
    else { return nil }
    return HTTPResponse(
      200,
      headers: HTTPHeaders([
        "Content-Type": type + "; charset=utf-8", "Cache-Control": "no-store", "Content-Security-Policy": policy,
        "Referrer-Policy": "same-origin",
      ]), body: Array(UnsafeRawBufferPointer(start: start, count: count)))
  }
}
