import JSON
import Policy

/// A tenant.json that follows the grammar of JSON: its users, and everything else.
struct TenantFile {
  private enum Users {
    /// They are in `object`.
    case inObject
    case apart(UserList, UserList.Findings)
  }

  /// The members; without users if those are apart.
  let object: JSONObject
  private let users: Users

  /// From its members.
  init(_ object: JSONObject) { (self.object, users) = (object, .inObject) }

  /// Parses the users one by one, so that a long list takes little more memory than its text. `nil` if the text is no
  /// object.
  init?(_ text: ArraySlice<UInt8>) throws(JSONParseError) {
    if let file = TenantFile(apart: text) {
      self = file
    } else {
      try self.init(whole: text)
    }
  }

  /// Parses everything at once, and so finds the place of an error in the text.
  init?(whole text: ArraySlice<UInt8>) throws(JSONParseError) {
    guard case .object(let object) = try JSONValue(parsing: text) else { return nil }
    self.init(object)
  }

  /// `nil` if the text does not follow the grammar, or has no list of users.
  private init?(apart text: ArraySlice<UInt8>) {
    let spans = text.withUnsafeBytes { ArraySpans(of: "users", in: $0) }
    guard let spans, let object = Self.object(text, without: spans.content) else { return nil }
    var findings = UserList.Findings()
    guard let found = UserList(text, spans, &findings) else { return nil }
    (self.object, users) = (object, .apart(found, findings))
  }

  private static func object(_ text: ArraySlice<UInt8>, without content: Range<Int>) -> JSONObject? {
    let rest = text.withUnsafeBytes { Array($0[..<content.lowerBound]) + $0[content.upperBound...] }
    return (try? JSONValue(parsing: rest))?.objectValue
  }

  /// Throws what is wrong with the users, and appends the warnings about them.
  func readUsers(_ warnings: inout [PolicyWarning]) throws(TenantError) -> TenantUsers {
    switch users {
    case .apart(let text, let findings):
      if let fault = findings.fault { throw fault }
      warnings += findings.warnings.all
      return TenantUsers(text)
    case .inObject:
      var found = UserWarnings()
      let users = try TenantUsers(ofFile: MemberReader(object), &found)
      warnings += found.all
      return users
    }
  }
}
