import Cryptography
import HTTP

/// The parameters of a request to the provider: of a form, or of a query.
struct FormFields: Sendable {
  private(set) var all: [(name: String, value: String)]

  init(query request: HTTPRequest) throws(EntraError) {
    guard let target = HTTPTarget(request.url) else { throw Self.unreadable }
    all = target.query
  }

  init(body request: HTTPRequest) throws(EntraError) {
    let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased()
    guard type == "application/x-www-form-urlencoded",
      let target = HTTPTarget("/?" + String(decoding: request.body, as: UTF8.self))
    else { throw Self.unreadable }
    all = target.query
    for field in try Self.client(in: request.headers["Authorization"]) where self[field.name] != field.value {
      all.append(field)
    }
  }

  /// The client and its secret in the header, as RFC 6749 has it in 2.3.1: each encoded as in a form, and both together in
  /// base64. None without the header.
  private static func client(in header: String?) throws(EntraError) -> [(name: String, value: String)] {
    guard let header else { return [] }
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic" else { throw unreadable }
    let text = words[1].utf8.map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      default: byte
      }
    }
    let digits = text.prefix { $0 != UInt8(ascii: "=") }
    guard let decoded = Base64URL.decode(digits), let colon = decoded.firstIndex(of: UInt8(ascii: ":")) else {
      throw unreadable
    }
    let parts = [decoded[..<colon], decoded[(colon + 1)...]].map { String(decoding: $0, as: UTF8.self) }
    guard let target = HTTPTarget("/?client_id=\(parts[0])&client_secret=\(parts[1])"), target.query.count == 2 else {
      throw unreadable
    }
    return target.query
  }

  private static let unreadable = EntraError(
    "invalid_request", 90013, "The request must be a form, application/x-www-form-urlencoded.")

  /// `nil` for a parameter that is missing, empty, or there twice.
  subscript(name: String) -> String? {
    let values = all.filter { $0.name == name }
    return values.count == 1 && !values[0].value.isEmpty ? values[0].value : nil
  }

  func required(_ name: String) throws(EntraError) -> String {
    guard let value = self[name] else { throw .missing(name) }
    return value
  }
}
