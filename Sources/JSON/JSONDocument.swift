import CJansson
import Glibc

/// One parsed JSON text; owns jansson's tree.
package final class JSONDocument: @unchecked Sendable {  // owner of a C handle that is only read after the parse
  private let handle: UnsafeMutablePointer<json_t>

  /// Duplicate names, lone surrogates, NUL bytes, an escaped NUL in a name and numbers beyond 64 bits or a double are errors.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONParseError) {
    handle = try Self.parse(text)
  }

  package init(parsing text: [UInt8]) throws(JSONParseError) {
    handle = try text.withUnsafeBufferPointer { bytes throws(JSONParseError) in
      try Self.parse(UnsafeRawBufferPointer(bytes))
    }
  }

  package convenience init(parsing text: some StringProtocol) throws(JSONParseError) {
    try self.init(parsing: Array(text.utf8))
  }

  private static func parse(_ text: UnsafeRawBufferPointer) throws(JSONParseError) -> UnsafeMutablePointer<json_t> {
    var failure = json_error_t()
    let flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL
    guard let start = text.baseAddress?.assumingMemoryBound(to: CChar.self) else { throw .empty }
    if let nul = memchr(start, 0, text.count) {
      throw .nul(in: text, at: UnsafeRawPointer(nul) - UnsafeRawPointer(start))
    }
    guard let handle = json_loadb(start, text.count, Int(flags), &failure) else { throw JSONParseError(failure) }
    return handle
  }

  deinit {
    json_decref(handle)
  }

  package var root: JSONNode { JSONNode(handle, in: self) }
}

extension JSONValue {
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONParseError) {
    self = try JSONDocument(parsing: text).root.value
  }

  package init(parsing text: [UInt8]) throws(JSONParseError) {
    self = try JSONDocument(parsing: text).root.value
  }

  package init(parsing text: some StringProtocol) throws(JSONParseError) {
    self = try JSONDocument(parsing: text).root.value
  }
}
