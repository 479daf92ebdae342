import Model

/// Names that stand for personal data: the same for the same text, and of no use without the salt.
struct Pseudonyms: Sendable {
  private let key: (UInt64, UInt64)

  /// 16 random bytes; of a longer salt the rest has no effect.
  init(salt: [UInt8]) {
    let padded = salt.prefix(16) + Array(repeating: 0, count: max(0, 16 - salt.count))
    key = (SipHash.word(padded.prefix(8)), SipHash.word(padded.dropFirst(8)))
  }

  /// Such as `<user:3fa1c2d4>`; ASCII case does not matter. No user stays visible as `<user:none>`.
  func name(for value: String, label: String = "user") -> String {
    guard !value.isEmpty else { return "<\(label):none>" }
    let hash = SipHash.hash(Array(value.lowercasedASCII.utf8), key: key)
    let digits = String(UInt32(truncatingIfNeeded: hash), radix: 16)
    return "<\(label):" + String(repeating: "0", count: 8 - digits.utf8.count) + digits + ">"
  }
}

/// SipHash-2-4 (Aumasson, Bernstein): a keyed function that nobody can compute without the key.
enum SipHash {
  static func hash(_ message: [UInt8], key: (UInt64, UInt64)) -> UInt64 {
    var state = State(key)
    let tail = message.count & ~7
    for start in stride(from: 0, to: tail, by: 8) { state.absorb(word(message[start..<start + 8])) }
    state.absorb(word(message[tail...]) | UInt64(truncatingIfNeeded: message.count) << 56)
    return state.finish()
  }

  /// Little-endian, of at most eight bytes.
  static func word(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private struct State {
    var v0, v1, v2, v3: UInt64

    init(_ key: (UInt64, UInt64)) {
      v0 = key.0 ^ 0x736f_6d65_7073_6575
      v1 = key.1 ^ 0x646f_7261_6e64_6f6d
      v2 = key.0 ^ 0x6c79_6765_6e65_7261
      v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    mutating func absorb(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    mutating func finish() -> UInt64 {
      v2 ^= 0xff
      for _ in 0..<4 { round() }
      return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func round() {
      v0 &+= v1
      v1 = v1.rotated(13) ^ v0
      v0 = v0.rotated(32)
      v2 &+= v3
      v3 = v3.rotated(16) ^ v2
      v0 &+= v3
      v3 = v3.rotated(21) ^ v0
      v2 &+= v1
      v1 = v1.rotated(17) ^ v2
      v2 = v2.rotated(32)
    }
  }
}

extension UInt64 {
  fileprivate func rotated(_ bits: UInt64) -> UInt64 { self << bits | self >> (64 - bits) }
}
