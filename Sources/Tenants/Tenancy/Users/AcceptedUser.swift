import JSON
import Model

/// Reads a user that was decoded in full before, and found to be valid: without a tree, and without anything that could
/// fail or be wrong.
enum AcceptedUser {
  static func read(_ text: UnsafeRawBufferPointer) -> TenantUser {
    var (name, listed) = ("", ListedUser())
    var cursor = TextCursor(text)
    cursor.forEachMember { member, cursor in
      switch member {
      case "userPrincipalName": name = cursor.stringOrNull() ?? ""
      case "id": listed.id = cursor.stringOrNull()
      case "displayName": listed.displayName = cursor.stringOrNull()
      case "mail": listed.mail = cursor.stringOrNull()
      case "licensed": listed.licensed = cursor.boolOrNull()
      case "accountEnabled": listed.accountEnabled = cursor.boolOrNull()
      case "deleted": listed.deleted = cursor.boolOrNull()
      case "groups": listed.groups = cursor.stringsOrNull()
      case "clock": listed.clock = cursor.isAtObject ? clock(&cursor) : cursor.skippedValue()
      default: cursor.skipValue()
      }
    }
    return TenantUser(named: name, listed)
  }

  private static func clock(_ cursor: inout TextCursor) -> TenantUser.ClockEntry {
    var entry = TenantUser.ClockEntry(status: .unknown)
    cursor.forEachMember { member, cursor in
      switch member {
      case "status": entry.status = cursor.stringOrNull().flatMap { ClockStatus(rawValue: $0) } ?? .unknown
      case "updated": entry.updated = cursor.stringOrNull()
      default: cursor.skipValue()
      }
    }
    return entry
  }
}

extension TextCursor {
  fileprivate var isAtObject: Bool { mutating get { isAt(UInt8(ascii: "{")) } }

  /// `body` reads or skips the value of each member.
  fileprivate mutating func forEachMember(_ body: (String, inout TextCursor) -> Void) {
    guard skip(UInt8(ascii: "{")) else { return }
    while let name = acceptedString(), skip(UInt8(ascii: ":")) {
      body(name, &self)
      guard skip(UInt8(ascii: ",")) else { break }
    }
    _ = skip(UInt8(ascii: "}"))
  }

  fileprivate mutating func skippedValue<Value>() -> Value? {
    skipValue()
    return nil
  }

  fileprivate mutating func stringOrNull() -> String? { acceptedString() ?? skippedValue() }

  fileprivate mutating func boolOrNull() -> Bool? {
    skip(word: "true") ? true : skip(word: "false") ? false : skippedValue()
  }

  fileprivate mutating func stringsOrNull() -> [String]? {
    guard skip(UInt8(ascii: "[")) else { return skippedValue() }
    var texts: [String] = []
    while let text = acceptedString() {
      texts.append(text)
      guard skip(UInt8(ascii: ",")) else { break }
    }
    _ = skip(UInt8(ascii: "]"))
    return texts
  }
}
