import Support
import Testing

struct HeapMemoryTests {
  @Test("HeapMemory has room for a byte but not for 2^60 bytes, even in an optimized build") func room() {
    #expect(HeapMemory.hasRoom(forBytes: 1))
    #expect(!HeapMemory.hasRoom(forBytes: 1 << 60))
  }
}
