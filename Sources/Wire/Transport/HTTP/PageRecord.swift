import Support

/// What a page asks its server to keep, so that a reload loses nothing: lines of JSON, in their order. They are in
/// memory and end with the server. Only the holder of the token reads or writes them.
package final class PageRecord: Sendable {
  /// In bytes.
  static let defaultLimit = 32 << 20

  private let lines = Lock<[UInt8]>([])
  private let limit: Int

  package convenience init() { self.init(limit: Self.defaultLimit) }

  init(limit: Int) {
    self.limit = limit
  }

  /// Every line, each with its line feed.
  var bytes: [UInt8] { lines.withLock { $0 } }

  /// Adds a line after the others, or in place of them if it is the first of a new record. Throws if the line is empty
  /// or more than one line, or if the record would exceed its limit; then it stays as it was.
  func keep(_ parts: [ClearedBytes], isFirst: Bool) throws(HTTPRefusal) {
    guard let line = parts.count == 1 ? parts[0] : ClearedBytes(joining: parts) else { throw .noMemory }
    guard line.count > 0, !line.withBytes({ $0.contains(UInt8(ascii: "\n")) }) else {
      throw .badRequest("The body must be one line of JSON.")
    }
    let limit = limit
    let fits = lines.withLock { lines in
      let start = isFirst ? 0 : lines.count
      guard start + line.count < limit else { return false }
      if isFirst { lines.removeAll() }
      line.withBytes { lines.append(contentsOf: $0) }
      lines.append(UInt8(ascii: "\n"))
      return true
    }
    if !fits { throw .full(limit) }
  }
}
