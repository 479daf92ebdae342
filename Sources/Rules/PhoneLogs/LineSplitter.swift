/// Splits the bytes of a file into lines, of which none is kept. A longer line is read in pieces.
package struct LineSplitter {
  private static let longest = 1 << 18

  private var rest: [UInt8] = []

  package init() {}

  package mutating func add(_ bytes: some Sequence<UInt8>, _ line: (_ bytes: [UInt8], _ isWhole: Bool) -> Void) {
    for byte in bytes {
      if byte == 0x0A {
        line(rest, true)
        rest.removeAll(keepingCapacity: true)
      } else {
        rest.append(byte)
        if rest.count == Self.longest {
          line(rest, false)
          rest.removeAll(keepingCapacity: true)
        }
      }
    }
  }

  /// The last line, if the input does not end with the end of a line.
  package mutating func finish(_ line: (_ bytes: [UInt8], _ isWhole: Bool) -> Void) {
    if !rest.isEmpty { line(rest, false) }
    rest = []
  }
}
