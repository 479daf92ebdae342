import Glibc
import JSON
import Model

/// Reads a user whose members are all of the usual kind, without a tree: most users of a tenant.
struct PlainUser {
  private struct Members: OptionSet {
    let rawValue: UInt16
  }

  private var name: String?
  private var listed = ListedUser()
  private var found: Members = []

  /// `nil` for a user with a clock or an unknown member, and for one that is invalid, or about whom there is a warning:
  /// whoever reads it first must decode it in full.
  static func read(_ text: UnsafeRawBufferPointer) -> TenantUser? {
    var user = PlainUser()
    var cursor = TextCursor(text)
    guard user.readMembers(&cursor), cursor.isAtEnd, let name = user.name, !name.isEmpty else { return nil }
    if let id = user.listed.id.nonEmpty, !id.isGUID { return nil }
    return TenantUser(named: name, user.listed)
  }

  private mutating func readMembers(_ cursor: inout TextCursor) -> Bool {
    guard cursor.skip(UInt8(ascii: "{")) else { return false }
    repeat {
      guard let name = cursor.plainString(), cursor.skip(UInt8(ascii: ":")), readMember(name, &cursor) else {
        return false
      }
    } while cursor.skip(UInt8(ascii: ","))
    return cursor.skip(UInt8(ascii: "}"))
  }

  /// Reads the value of a member. All known names differ in length.
  private mutating func readMember(_ name: UnsafeRawBufferPointer, _ cursor: inout TextCursor) -> Bool {
    guard name.count < 16 || name.count == 17, isNew(name.count) else { return false }
    switch name.count {
    case 2: return name.spells("id") && Self.read(&listed.id, &cursor)
    case 17: return name.spells("userPrincipalName") && Self.read(&self.name, &cursor)
    case 11: return name.spells("displayName") && Self.read(&listed.displayName, &cursor)
    case 4: return name.spells("mail") && Self.read(&listed.mail, &cursor)
    case 8: return name.spells("licensed") && Self.read(&listed.licensed, &cursor)
    case 14: return name.spells("accountEnabled") && Self.read(&listed.accountEnabled, &cursor)
    case 7: return name.spells("deleted") && Self.read(&listed.deleted, &cursor)
    case 6: return name.spells("groups") && Self.read(&listed.groups, &cursor)
    default: return false
    }
  }

  /// Whether no member with a name of this length was read before.
  private mutating func isNew(_ length: Int) -> Bool {
    found.insert(Members(rawValue: 1 << UInt16(length & 15))).inserted
  }

  private static func read(_ text: inout String?, _ cursor: inout TextCursor) -> Bool {
    if cursor.skip(word: "null") { return true }
    text = cursor.plainString().map { String(decoding: $0, as: UTF8.self) }
    return text != nil
  }

  private static func read(_ value: inout Bool?, _ cursor: inout TextCursor) -> Bool {
    if cursor.skip(word: "null") { return true }
    value = cursor.skip(word: "true") ? true : cursor.skip(word: "false") ? false : nil
    return value != nil
  }

  private static func read(_ texts: inout [String]?, _ cursor: inout TextCursor) -> Bool {
    if cursor.skip(word: "null") { return true }
    guard cursor.skip(UInt8(ascii: "[")) else { return false }
    var found: [String] = []
    if !cursor.skip(UInt8(ascii: "]")) {
      repeat {
        guard let text = cursor.plainString() else { return false }
        found.append(String(decoding: text, as: UTF8.self))
      } while cursor.skip(UInt8(ascii: ","))
      guard cursor.skip(UInt8(ascii: "]")) else { return false }
    }
    texts = found
    return true
  }
}

extension UnsafeRawBufferPointer {
  /// Whether these are the bytes of a text of the same length.
  fileprivate func spells(_ text: StaticString) -> Bool {
    baseAddress.map { memcmp($0, text.utf8Start, count) == 0 } ?? false
  }
}
