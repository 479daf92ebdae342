import Policy
import Support

/// The lines of the members of the objects in a JSON text.
struct MemberLines {
  private struct Object {
    let depth: Int
    var id: String?
    /// The first line of each member.
    var lines: [String: Int] = [:]
  }

  private var objects: [Object] = []

  /// `text` follows the grammar of JSON; any other text is searched as far as it does.
  init(_ text: [UInt8]) {
    var scan = LineScan(text)
    var open: [Int?] = []
    var name: (text: String, line: Int)?
    var last: (text: String, line: Int)?
    while let token = scan.next() {
      switch token {
      case .text(let text):
        if let name, name.text == "id", let object = open.last ?? nil { objects[object].id = text }
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
  }

  /// The line of the first of these members that an object has: the object with the id, or else the outermost one.
  func line(of names: [String], inObject id: String) -> Int? {
    let named = objects.filter { $0.id == id }
    let others = objects.filter { $0.id == nil || $0.id == id }.sorted { $0.depth < $1.depth }
    for object in named + others {
      for name in names {
        if let line = object.lines[name] { return line }
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
