import CJansson

/// A value in a parsed document. Keeps the document alive.
package struct JSONNode {
  private let handle: UnsafeMutablePointer<json_t>
  private let document: JSONDocument

  init(_ handle: UnsafeMutablePointer<json_t>, in document: JSONDocument) {
    self.handle = handle
    self.document = document
  }

  package var isNull: Bool { handle.pointee.type == JSON_NULL }

  package var bool: Bool? {
    switch handle.pointee.type {
    case JSON_TRUE: true
    case JSON_FALSE: false
    default: nil
    }
  }

  package var integer: Int64? {
    handle.pointee.type == JSON_INTEGER ? json_integer_value(handle) : nil
  }

  package var real: Double? {
    handle.pointee.type == JSON_REAL ? json_real_value(handle) : nil
  }

  package var string: String? {
    withStringBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// `nil` if the value is not a string. The bytes are valid UTF-8.
  package func withStringBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    guard handle.pointee.type == JSON_STRING, let text = json_string_value(handle) else { return nil }
    let count = json_string_length(handle)
    return text.withMemoryRebound(to: UInt8.self, capacity: count) { start in
      let bytes = UnsafeBufferPointer(start: start, count: count)
      guard bytes.first == 0, let lifted = document.lifted else { return body(bytes) }
      return lifted.withBytes(ofMark: bytes, body)
    }
  }

  /// `nil` if the value is not an array.
  package var elementCount: Int? {
    handle.pointee.type == JSON_ARRAY ? json_array_size(handle) : nil
  }

  package func element(_ index: Int) -> JSONNode? {
    json_array_get(handle, index).map { JSONNode($0, in: document) }
  }

  /// `nil` if the value is not an object.
  package var memberCount: Int? {
    handle.pointee.type == JSON_OBJECT ? json_object_size(handle) : nil
  }

  package func member(_ name: String) -> JSONNode? {
    var name = name
    return name.withUTF8 { utf8 in
      utf8.withMemoryRebound(to: CChar.self) { json_object_getn(handle, $0.baseAddress, $0.count) }
    }.map { JSONNode($0, in: document) }
  }

  package var memberNames: [String] {
    var names: [String] = []
    forEachMember { name, _ in names.append(name) }
    return names
  }

  /// In text order.
  package func forEachMember(_ body: (String, JSONNode) -> Void) {
    var iterator = json_object_iter(handle)
    while let current = iterator {
      if let key = json_object_iter_key(current), let value = json_object_iter_value(current) {
        let bytes = UnsafeRawBufferPointer(start: key, count: json_object_iter_key_len(current))
        body(String(decoding: bytes, as: UTF8.self), JSONNode(value, in: document))
      }
      iterator = json_object_iter_next(handle, current)
    }
  }

  /// A copy that does not need the document.
  package var value: JSONValue {
    switch handle.pointee.type {
    case JSON_TRUE: return .bool(true)
    case JSON_FALSE: return .bool(false)
    case JSON_INTEGER: return .integer(json_integer_value(handle))
    case JSON_REAL: return .number(json_real_value(handle))
    case JSON_STRING: return .string(string ?? "")
    case JSON_ARRAY: return .array((0..<json_array_size(handle)).compactMap { element($0)?.value })
    case JSON_OBJECT:
      var members: [JSONObject.Member] = []
      members.reserveCapacity(json_object_size(handle))
      forEachMember { name, node in members.append(.init(name: name, value: node.value)) }
      return .object(JSONObject(unique: members))
    default: return .null
    }
  }
}
