/// Changes of bytes that were right, each of four bytes of the input: a place, an action and a value. So an input means the
/// same when the bytes are others, because keys are random.
struct Edits {
  private let commands: [UInt8]

  init(_ commands: [UInt8]) { self.commands = commands }

  func applied(to original: [UInt8]) -> [UInt8] {
    var bytes = original
    for start in stride(from: 0, to: commands.count - 3, by: 4) where !bytes.isEmpty {
      let place = (Int(commands[start]) << 8 | Int(commands[start + 1])) * bytes.count >> 16
      apply(commands[start + 2], commands[start + 3], at: place, to: &bytes)
    }
    return bytes
  }

  private func apply(_ action: UInt8, _ value: UInt8, at place: Int, to bytes: inout [UInt8]) {
    let end = min(bytes.count, place + Int(value) * 16 + 1)
    switch action % 8 {
    case 0, 1: bytes[place] = value
    case 2, 3: bytes[place] ^= value
    case 4: bytes.removeSubrange(place...)
    case 5: bytes.removeSubrange(place..<end)
    case 6: bytes.insert(contentsOf: bytes[place..<end], at: place)
    default: for index in place..<end { bytes[index] = 0 }
    }
  }
}
