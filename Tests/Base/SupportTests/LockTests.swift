import Support
import Testing

@Suite struct LockTests {
  private struct Refused: Error {}

  @Test("Eight concurrent tasks that take a lock lose no increment")
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

  @Test("A lock is free again after its body threw")
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
