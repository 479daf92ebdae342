import Support

/// The block before a file in an archive, in POSIX (ustar) format.
struct TarHeader {
  static let blockSize = 512

  /// ASCII, up to 100 bytes.
  let name: String
  let size: Int
  let time: Timestamp

  var block: [UInt8] {
    var block = [UInt8](repeating: 0, count: Self.blockSize)
    func put(_ text: String, at offset: Int) {
      block.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    put(name, at: 0)
    put(Self.octal(0o600, digits: 7), at: 100)
    put(Self.octal(0, digits: 7), at: 108)
    put(Self.octal(0, digits: 7), at: 116)
    put(Self.octal(size, digits: 11), at: 124)
    put(Self.octal(Int(max(0, time.milliseconds) / 1000), digits: 11), at: 136)
    put("        0", at: 148)
    put("ustar", at: 257)
    put("00", at: 263)
    let sum = block.reduce(0) { $0 + Int($1) }
    put(Self.octal(sum, digits: 6) + "\u{0} ", at: 148)
    return block
  }

  /// Zeros up to the end of the file's last block.
  static func padding(behind size: Int) -> [UInt8] {
    [UInt8](repeating: 0, count: (blockSize - size % blockSize) % blockSize)
  }

  private static func octal(_ number: Int, digits: Int) -> String {
    let text = String(number, radix: 8)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
