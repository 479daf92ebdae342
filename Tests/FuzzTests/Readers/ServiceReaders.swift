import Cryptography
import HTTP
import JSON

@testable import TenantService

/// Lines: the keys of a provider, and a token.
func checkTokens(_ bytes: [UInt8]) {
  let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
  let keys = (try? JSONValue(parsing: lines[0]))?.objectValue.flatMap { KeySet($0, rsaAlgorithms: [.rs256, .ps256]) }
  let text = String(decoding: lines.count > 1 ? lines[1] : lines[0], as: UTF8.self)
  guard let token = try? SignedToken(text) else { return }
  check(!token.keyName.isEmpty, "a token without the name of a key")
  guard let key = keys?.key(token.keyName, token.algorithm) else { return }
  check(key.kind == token.algorithm.kind, "a key of another kind than its algorithm")
  guard let claims = try? token.claims(signedWith: key) else { return }
  check(claims["sub"] == "fuzz", "a token that nobody has signed is accepted")
}

/// The path and query of a request to Graph, and a filter.
func checkGraphRequest(_ bytes: [UInt8]) {
  let text = String(decoding: bytes, as: UTF8.self)
  if let filter = try? GraphFilter.read(text) { checkFilter(filter) }
  guard let target = HTTPTarget(text) else { return }
  let path = GraphPath(target, url: text)
  check(path.text.count <= text.count, "a path that is longer than the URL")
  let options: Set = ["$top", "$skip", "$select", "$count", "$filter", "$orderby", "$expand", "$skiptoken"]
  guard let query = try? GraphQuery(target, options: options, expanding: ["assignments"], parameters: ["userId"]) else {
    return
  }
  check(query.top.map { 1...GraphQuery.largestPage ~= $0 } ?? true, "a page of \(query.top ?? 0)")
  check(query.skip >= 0, "skips \(query.skip)")
  if let filter = query.filter { checkFilter(filter) }
}

private func checkFilter(_ filter: GraphFilter) {
  let objects: [JSONObject] = [
    [:], ["displayName": "iOS", "version": "1", "isAssigned": true, "count": 3],
    ["displayName": .null, "id": "T_1", "lastModifiedDateTime": "2026-01-31T12:00:00Z"],
  ]
  for object in objects { check(filter.isMet(by: object) == filter.isMet(by: object), "a filter has two answers") }
}
