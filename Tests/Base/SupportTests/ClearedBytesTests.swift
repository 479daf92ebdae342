import Support
import TestSupport
import Testing

@Suite struct ClearedBytesTests {
  /// So few that the C library leaves their memory to this thread.
  private let secret = (0..<500).map { UInt8(1 + $0 % 250) }

  private func place(of bytes: ClearedBytes?) throws -> UInt {
    try #require(bytes).withBytes { UInt(bitPattern: $0.baseAddress) }
  }

  @Test("Cleared bytes are overwritten before their memory is freed")
  func freed() throws {
    var bytes = secret.withUnsafeBytes { ClearedBytes($0) }
    let place = try place(of: bytes)
    #expect(ProcessMemory.count(of: secret, leftAt: place) == secret.count)
    bytes = nil
    #expect(ProcessMemory.count(of: secret, leftAt: place) < secret.count / 2)
  }

  @Test("Joined bytes are a copy of their parts, which outlives them")
  func joined() throws {
    var parts = [secret[..<200], secret[200...], []].map { part in Array(part).withUnsafeBytes { ClearedBytes($0) } }
    let bytes = try #require(ClearedBytes(joining: parts.compactMap(\.self)))
    parts = []
    #expect(bytes.withBytes { Array($0) } == secret)
    #expect(bytes.count == secret.count)
  }
}
