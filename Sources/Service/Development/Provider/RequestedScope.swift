/// What a client asks a token for: one resource, and scopes of it.
struct RequestedScope: Hashable, Sendable {
  private static let identity: Set<String> = ["openid", "profile", "email", "offline_access"]

  /// What the token is for.
  let audience: String
  /// The scopes of the resource, without its name.
  let names: [String]
  /// As asked, without what Entra does not repeat.
  let granted: String
  let hasIdToken: Bool
  let hasRefreshToken: Bool

  /// Throws for several resources, and for one that is not known. A scope without a resource is for Graph, which here is
  /// on the same origin.
  init(_ text: String?, known resources: [String], graph: String) throws(EntraError) {
    let words = (text ?? "").split(separator: " ").map(String.init)
    guard !words.isEmpty else { throw .missing("scope") }
    var (audiences, names): (Set<String>, [String]) = ([], [])
    for word in words where !Self.identity.contains(word) {
      guard let slash = word.lastIndex(of: "/") else {
        audiences.insert(graph)
        names.append(word)
        continue
      }
      let resource = String(word[..<slash].reversed().drop { $0 == "/" }.reversed())
      guard resources.contains(resource) else {
        throw EntraError(
          "invalid_resource", 500_011,
          "The resource \(resource.prefix(100)) is not known here. Known: "
            + resources.joined(separator: ", "))
      }
      audiences.insert(resource == DevelopmentSettings.resource ? DevelopmentSettings.resourceId : resource)
      names.append(String(word[word.index(after: slash)...]))
    }
    guard audiences.count <= 1 else {
      throw EntraError("invalid_scope", 28000, "The scopes are of more than one resource.")
    }
    audience = audiences.first ?? graph
    let plain = names.filter { $0 != ".default" }
    self.names = plain.isEmpty ? ["user_impersonation"] : plain
    granted = words.filter { $0 != "offline_access" }.joined(separator: " ")
    hasIdToken = words.contains("openid")
    hasRefreshToken = words.contains("offline_access")
  }
}
