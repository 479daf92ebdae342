import Support
import Testing

@Suite struct LockTests {
  private struct Refused: Error {}

  @Test("no increment is lost when eight tasks take the lock at once")
  func contention() async {
    let counter = Lock(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<10_000 { counter.withLock { $0 += 1 } }
        }
      }
    }
    #expect(counter.withLock { $0 } == 80_000)
  }

  @Test("a body that throws leaves the lock free")
  func throwing() {
    let lock = Lock("before")
    #expect(throws: Refused.self) {
      try lock.withLock { state throws(Refused) in
        state = "after"
        throw Refused()
      }
    }
    #expect(lock.withLock { $0 } == "after")
  }
}
