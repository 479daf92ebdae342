import CJansson

/// A value in a parsed document, which it keeps alive. What was scanned also needs the text that was scanned.
package struct JSONNode {
  private enum Storage {
    case tree(UnsafeMutablePointer<json_t>, JSONDocument)
    case flat(FlatObject)
    case scalar(FlatObject.Value)
  }

  private let storage: Storage

  init(_ handle: UnsafeMutablePointer<json_t>, in document: JSONDocument) { storage = .tree(handle, document) }

  /// The same value, or the same error, as that of a parsed document, for a text that is known to follow the grammar of
  /// JSON. A flat object and long strings (mostly base64) stay in `text`, which must outlive the value.
  package init(scanned text: UnsafeRawBufferPointer) throws(JSONParseError) {
    if let flat = FlatObject(text) {
      storage = .flat(flat)
    } else {
      self = try JSONDocument(scanned: text).root
    }
  }

  init(_ value: FlatObject.Value) {
    if value.kind == .object, let object = FlatObject(value.bytes) {
      storage = .flat(object)
    } else {
      storage = .scalar(value)
    }
  }

  /// `nil` for the values of a flat object.
  private func handle(of type: json_type) -> UnsafeMutablePointer<json_t>? {
    guard case .tree(let handle, _) = storage, handle.pointee.type == type else { return nil }
    return handle
  }

  /// `nil` for any other value than one of a flat object with this kind.
  private func scalar(_ kind: FlatObject.Value.Kind) -> FlatObject.Value? {
    guard case .scalar(let scalar) = storage, scalar.kind == kind else { return nil }
    return scalar
  }

  package var isNull: Bool { scalar(.null) != nil || handle(of: JSON_NULL) != nil }

  package var bool: Bool? {
    if scalar(.yes) != nil || handle(of: JSON_TRUE) != nil { return true }
    return scalar(.no) != nil || handle(of: JSON_FALSE) != nil ? false : nil
  }

  package var integer: Int64? {
    scalar(.integer)?.integer ?? handle(of: JSON_INTEGER).map { json_integer_value($0) }
  }

  package var real: Double? { handle(of: JSON_REAL).map { json_real_value($0) } }

  package var string: String? {
    withStringBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// `nil` if the value is not a string. The bytes are valid UTF-8.
  package func withStringBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    switch storage {
    case .flat: return nil
    case .scalar(let scalar): return scalar.kind == .string ? scalar.bytes.withMemoryRebound(to: UInt8.self, body) : nil
    case .tree(let handle, let document):
      guard handle.pointee.type == JSON_STRING, let text = json_string_value(handle) else { return nil }
      let count = json_string_length(handle)
      return text.withMemoryRebound(to: UInt8.self, capacity: count) { start in
        let bytes = UnsafeBufferPointer(start: start, count: count)
        guard bytes.first == 0, let lifted = document.lifted else { return body(bytes) }
        return lifted.withBytes(ofMark: bytes, body)
      }
    }
  }

  /// `nil` if the value is not an array.
  package var elementCount: Int? { handle(of: JSON_ARRAY).map { json_array_size($0) } }

  package func element(_ index: Int) -> JSONNode? {
    guard case .tree(let handle, let document) = storage else { return nil }
    return json_array_get(handle, index).map { JSONNode($0, in: document) }
  }

  /// `nil` if the value is not an object.
  package var memberCount: Int? {
    if case .flat(let object) = storage { return object.count }
    return handle(of: JSON_OBJECT).map { json_object_size($0) }
  }

  package func member(_ name: String) -> JSONNode? {
    var name = name
    return name.withUTF8 { utf8 in
      switch storage {
      case .scalar: nil
      case .flat(let object): object[UnsafeRawBufferPointer(utf8)].map { JSONNode($0) }
      case .tree(let handle, let document):
        utf8.withMemoryRebound(to: CChar.self) { json_object_getn(handle, $0.baseAddress, $0.count) }
          .map { JSONNode($0, in: document) }
      }
    }
  }

  package var memberNames: [String] {
    var names: [String] = []
    forEachMember { name, _ in names.append(name) }
    return names
  }

  /// In text order.
  package func forEachMember(_ body: (String, JSONNode) -> Void) {
    switch storage {
    case .scalar: return
    case .flat(let object):
      for index in 0..<object.count { body(object.name(index), JSONNode(object[index])) }
    case .tree(let handle, let document):
      var iterator = json_object_iter(handle)
      while let current = iterator {
        if let key = json_object_iter_key(current), let value = json_object_iter_value(current) {
          let bytes = UnsafeRawBufferPointer(start: key, count: json_object_iter_key_len(current))
          body(String(decoding: bytes, as: UTF8.self), JSONNode(value, in: document))
        }
        iterator = json_object_iter_next(handle, current)
      }
    }
  }

  /// A copy that does not need the document.
  package var value: JSONValue {
    switch storage {
    case .scalar(let scalar): scalar.jsonValue
    case .flat: .object(object)
    case .tree(let handle, _): value(of: handle)
    }
  }

  private var object: JSONObject {
    var members: [JSONObject.Member] = []
    members.reserveCapacity(memberCount ?? 0)
    forEachMember { name, node in members.append(.init(name: name, value: node.value)) }
    return JSONObject(unique: members)
  }

  private func value(of handle: UnsafeMutablePointer<json_t>) -> JSONValue {
    switch handle.pointee.type {
    case JSON_TRUE: .bool(true)
    case JSON_FALSE: .bool(false)
    case JSON_INTEGER: .integer(json_integer_value(handle))
    case JSON_REAL: .number(json_real_value(handle))
    case JSON_STRING: .string(string ?? "")
    case JSON_ARRAY: .array((0..<json_array_size(handle)).compactMap { element($0)?.value })
    case JSON_OBJECT: .object(object)
    default: .null
    }
  }
}
