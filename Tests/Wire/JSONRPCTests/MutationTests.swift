import JSONRPC
import Testing

@Suite("Random input never crashes the frame decoder or the JSON scanner")
struct MutationTests {
  private static let seeds = [
    #"{"jsonrpc":"2.0","method":"policy.isSaveToAllowedForLocation","params":{"location":"local","n":[1.5e-3]},"id":1}"#,
    #"[{"jsonrpc":"2.0","method":"m","id":"a\u00e9\ud834\udd1e"},{"jsonrpc":"2.0","result":{"é€𝄞":[true,false,null]}}]"#,
    "Content-Length: 17\r\nContent-Type: a/b; charset=utf-8\r\n\r\n{\"jsonrpc\":\"2.0\"}Content-Length: 2\r\n\r\n[]",
    "{\"id\":\"\\\\\\\"\\/\",\"a\":[[[[{\"b\":[]}]]]]}\r\n\n 1 \n",
  ].map { Array($0.utf8) }
  private static let alphabet =
    Array("{}[]\",:\\u0123dD8-+.eE \n\rtfnC\u{0}\u{1F}".utf8) + [0x80, 0xC3, 0xE2, 0xED, 0xF4, 0xFF]

  static func mutated(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      let letter = Self.alphabet.randomElement(using: &generator) ?? 0
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes[place] = letter
      case 1: bytes.insert(letter, at: place)
      case 2: bytes.remove(at: place)
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + 9))
      default: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
      }
    }
    return bytes
  }

  @Test("Randomly changed input gives spans within the input, and the same events in any pieces", arguments: 1...8)
  func mutations(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for index in 0..<1500 {
      let bytes = Self.mutated(Self.seeds[index % Self.seeds.count], using: &generator)
      let all = events([bytes], limit: 64)
      let pieces = bytes.split(upTo: 12, using: &generator)
      if events(pieces, limit: 64) != all { Issue.record("pieces differ: \(bytes)") }
      bytes.withUnsafeBufferPointer { check($0) }
    }
  }

  private func check(_ bytes: UnsafeBufferPointer<UInt8>) {
    let scanned = ScannedMessage.scan(bytes, limits: ScanLimits(nesting: 4, values: 20, batch: 3))
    switch scanned {
    case .single(let envelope): check(envelope, in: bytes)
    case .batch(let elements): elements.forEach { check($0, in: bytes) }
    case .failure(.syntax(let error)):
      #expect((0...bytes.count).contains(error.offset))
      _ = JSONPointer.path(ofByteOffset: error.offset, in: bytes)
    case .failure(.limit(_, let id)): check(id, in: bytes)
    }
    _ = JSONPointer.path(ofByteOffset: bytes.count / 2, in: bytes)
  }

  private func check(_ envelope: Envelope, in bytes: UnsafeBufferPointer<UInt8>) {
    switch envelope {
    case .request(let call, let id):
      check(id, in: bytes)
      check(call, in: bytes)
    case .notification(let call): check(call, in: bytes)
    case .response(let response): [response.id, response.result, response.error].forEach { check($0, in: bytes) }
    case .invalid(let invalid): check(invalid.id, in: bytes)
    }
  }

  private func check(_ call: Envelope.Call, in bytes: UnsafeBufferPointer<UInt8>) {
    check(call.method.content, in: bytes)
    check(call.params, in: bytes)
    _ = call.method.text(in: bytes)
  }

  private func check(_ span: Range<Int>?, in bytes: UnsafeBufferPointer<UInt8>) {
    guard let span else { return }
    #expect(span.lowerBound >= 0)
    #expect(span.upperBound <= bytes.count)
  }
}
