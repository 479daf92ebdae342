import Policy
import Support

/// The lines of the members of the objects in a JSON text.
struct MemberLines {
  private struct Object {
    let depth: Int
    /// What names the object: its id and, in tenant.json, the name of a user, or the file of an assignment.
    var names: [String] = []
    var hasID = false
    /// The first line of each member.
    var lines: [String: Int] = [:]
  }

  private static let naming: Set<String> = ["id", "userPrincipalName", "policy"]

  private var objects: [Object] = []
  /// The objects with a name, and those without an id, the outermost first.
  private var named: [String: [Int]] = [:]
  private var unnamed: [Int] = []

  /// `text` follows the grammar of JSON; any other text is searched as far as it does.
  init(_ text: [UInt8]) {
    var scan = LineScan(text)
    var open: [Int?] = []
    var name: (text: String, line: Int)?
    var last: (text: String, line: Int)?
    while let token = scan.next() {
      switch token {
      case .text(let text):
        if let name, Self.naming.contains(name.text), let object = open.last ?? nil {
          objects[object].names.append(text)
          if name.text == "id" { objects[object].hasID = true }
        }
        (last, name) = ((text, scan.line), nil)
      case .colon:
        name = last
        if let last, let object = open.last ?? nil {
          objects[object].lines[last.text] = objects[object].lines[last.text] ?? last.line
        }
      case .opening(let isObject):
        name = nil
        if isObject { objects.append(Object(depth: open.count)) }
        open.append(isObject ? objects.count - 1 : nil)
      case .closing:
        _ = open.popLast()
      case .other:
        name = nil
      }
    }
    for (index, object) in objects.enumerated() {
      for name in object.names { named[name, default: []].append(index) }
      if !object.hasID { unnamed.append(index) }
    }
    unnamed.sort { (objects[$0].depth, $0) < (objects[$1].depth, $1) }
  }

  /// The line of the first of these members that an object has: the object with the id, or else the outermost one.
  func line(of members: [String], inObject id: String) -> Int? {
    line(of: members, in: named[id] ?? []) ?? line(of: members, in: unnamed)
  }

  /// The line of the first of these members that an object with one of these names has.
  func line(of members: [String], inObjectNamed names: [String]) -> Int? {
    names.lazy.compactMap { line(of: members, in: named[$0] ?? []) }.first
  }

  private func line(of members: [String], in found: [Int]) -> Int? {
    for object in found {
      for member in members {
        if let line = objects[object].lines[member] { return line }
      }
    }
    return nil
  }
}

/// Reads the tokens of a JSON text.
private struct LineScan {
  enum Token {
    case text(String)
    case opening(isObject: Bool)
    case colon, closing, other
  }

  private let text: [UInt8]
  private var index = 0
  /// The line of the last token, from 1.
  private(set) var line = 1

  init(_ text: [UInt8]) { self.text = text }

  mutating func next() -> Token? {
    while index < text.count {
      let byte = text[index]
      index += 1
      switch byte {
      case UInt8(ascii: "\n"): line += 1
      case UInt8(ascii: "\""): return .text(string())
      case UInt8(ascii: ":"): return .colon
      case UInt8(ascii: "{"): return .opening(isObject: true)
      case UInt8(ascii: "["): return .opening(isObject: false)
      case UInt8(ascii: "}"), UInt8(ascii: "]"): return .closing
      case UInt8(ascii: ","): return .other
      default: break
      }
    }
    return nil
  }

  /// Escapes stay as they are written: no name of a member needs any.
  private mutating func string() -> String {
    let start = index
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    let end = min(index, text.count)
    index = end + 1
    return String(decoding: text[start..<end], as: UTF8.self)
  }
}
