extension HTTPRequest {
  /// A POST of a form, as token endpoints read it.
  package static func form(_ url: String, _ fields: [(name: String, value: String)]) -> HTTPRequest {
    let pairs = fields.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
    return HTTPRequest(
      "POST", url,
      headers: HTTPHeaders(["Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"]),
      body: Array(pairs.joined(separator: "&").utf8))
  }
}
