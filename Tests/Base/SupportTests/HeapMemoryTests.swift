import Support
import Testing

struct HeapMemoryTests {
  @Test("what no system has is not there, in an optimized program too") func room() {
    #expect(HeapMemory.hasRoom(forBytes: 1))
    #expect(!HeapMemory.hasRoom(forBytes: 1 << 60))
  }
}
