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
