/// Why a property list cannot be read. Holds nothing of its content but the names of elements and keys.
package struct PropertyListError: Error, Equatable, Sendable {
  /// In the text of an XML list, both from 1; the column counts characters, not bytes.
  package struct Place: Equatable, Sendable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  package let message: String
  /// Nil for a binary list.
  package let place: Place?

  package init(_ message: String, at place: Place? = nil) {
    self.message = message
    self.place = place
  }
}

extension PropertyListError.Place {
  /// Of the byte at `offset`.
  init(of offset: Int, in bytes: [UInt8]) {
    let before = bytes[..<min(offset, bytes.count)]
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
    line = 1 + before.count { $0 == UInt8(ascii: "\n") }
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
  }
}
