import CJansson
import Support

/// A parsed JSON text, which owns jansson's tree.
package final class JSONDocument: @unchecked Sendable {  // owner of a C handle that is only read after the parse
  /// The version of jansson that this process runs with.
  package static var libraryVersion: String { String(cString: jansson_version_str()) }

  private let handle: UnsafeMutablePointer<json_t>
  /// `nil` if all strings are in the tree.
  let lifted: LiftedStrings?

  /// Refuses duplicate names, lone surrogates, NUL bytes, an escaped NUL in a name, and numbers beyond 64 bits or a
  /// double.
  package init(parsing text: UnsafeRawBufferPointer) throws(JSONParseError) {
    handle = try Self.parse(text)
    lifted = nil
  }

  /// Returns the same document, or the same error, for a text that is known to follow the grammar of JSON, without
  /// parsing its long strings (mostly base64). They stay in `text`, which must outlive the document.
  package init(scanned text: UnsafeRawBufferPointer) throws(JSONParseError) {
    (handle, lifted) = try Self.read(text, threshold: LongStrings.threshold)
  }

  init(scanned text: UnsafeRawBufferPointer, threshold: Int) throws(JSONParseError) {
    (handle, lifted) = try Self.read(text, threshold: threshold)
  }

  package init(parsing text: [UInt8]) throws(JSONParseError) {
    handle = try text.withUnsafeBufferPointer { bytes throws(JSONParseError) in
      try Self.parse(UnsafeRawBufferPointer(bytes))
    }
    lifted = nil
  }

  package convenience init(parsing text: some StringProtocol) throws(JSONParseError) {
    try self.init(parsing: Array(text.utf8))
  }

  /// jansson treats a NUL byte as the end of the text.
  private static func parse(_ text: UnsafeRawBufferPointer) throws(JSONParseError) -> UnsafeMutablePointer<json_t> {
    if let nul = text.offset(of: 0, in: 0..<text.count) { throw .nul(in: text, at: nul) }
    return try load(text)
  }

  private static func read(
    _ text: UnsafeRawBufferPointer, threshold: Int
  ) throws(JSONParseError) -> (UnsafeMutablePointer<json_t>, LiftedStrings?) {
    if text.count >= threshold, var parts = LiftedText(text, threshold: threshold) {
      defer { parts.clearRest() }
      if let handle = try? parts.rest.withUnsafeBytes(load) { return (handle, parts.strings) }
    }
    return (try load(text), nil)
  }

  private static let clearsFreedMemory: Void = cjansson_clear_what_is_freed()

  private static func load(_ text: UnsafeRawBufferPointer) throws(JSONParseError) -> UnsafeMutablePointer<json_t> {
    clearsFreedMemory
    var failure = json_error_t()
    // The message quotes the text.
    defer { withUnsafeMutableBytes(of: &failure) { $0.clear() } }
    let flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL
    guard let start = text.baseAddress?.assumingMemoryBound(to: CChar.self) else { throw .empty }
    guard let handle = json_loadb(start, text.count, Int(flags), &failure) else { throw JSONParseError(failure) }
    return handle
  }

  deinit {
    json_decref(handle)
  }

  package var root: JSONNode { JSONNode(handle, in: self) }
}

extension JSONValue {
  /// Parses a text that is known to follow the grammar.
  package init(scanned text: UnsafeRawBufferPointer) throws(JSONParseError) {
    self = try JSONDocument(scanned: text).root.value
  }

  package init(parsing text: UnsafeRawBufferPointer) throws(JSONParseError) {
    self = try JSONDocument(parsing: text).root.value
  }

  package init(parsing text: [UInt8]) throws(JSONParseError) {
    self = try JSONDocument(parsing: text).root.value
  }

  package init(parsing text: ArraySlice<UInt8>) throws(JSONParseError) {
    self = try text.withUnsafeBufferPointer { bytes throws(JSONParseError) in
      try JSONValue(parsing: UnsafeRawBufferPointer(bytes))
    }
  }

  package init(parsing text: some StringProtocol) throws(JSONParseError) {
    self = try JSONDocument(parsing: text).root.value
  }
}
