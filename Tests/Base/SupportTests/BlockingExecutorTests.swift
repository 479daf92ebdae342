import Glibc
import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct BlockingExecutorTests {
  @Test("A task that prefers a blocking executor stays on its thread, even after a suspension")
  func preference() async {
    let executor = BlockingExecutor(threadCount: 1)
    let threads = await Task(executorPreference: executor) {
      let before = threadNumber()
      await Task.yield()
      return [before, threadNumber()]
    }.value
    #expect(threads[0] == threads[1])
    let again = await Task(executorPreference: executor) { threadNumber() }.value
    #expect(again == threads[0])
  }

  @Test("A blocking executor runs many more jobs than it has threads")
  func manyJobs() async {
    let executor = BlockingExecutor(threadCount: 4)
    let sum = await withTaskGroup(of: Int.self) { group in
      for number in 1...1000 { group.addTask(executorPreference: executor) { number } }
      return await group.reduce(0, +)
    }
    #expect(sum == 500_500)
  }

  @Test("A blocking executor with four threads runs four jobs at once, and a fifth waits")
  func fifthWaits() async {
    let executor = BlockingExecutor(threadCount: 4)
    let gate = Semaphore()
    let started = Semaphore()
    let running = Lock((now: 0, most: 0))
    let tasks = (0..<5).map { _ in
      Task(executorPreference: executor) {
        running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        started.signal()
        gate.wait()
        running.withLock { $0.now -= 1 }
      }
    }
    await onThread { for _ in 0..<4 { started.wait() } }
    #expect(running.withLock { $0.now } == 4)
    for _ in 0..<5 { gate.signal() }
    for task in tasks { await task.value }
    #expect(running.withLock { $0.most } == 4)
    #expect(running.withLock { $0.now } == 0)
  }

  @Test("A blocking executor replaces waiting threads, and later runs four jobs at once again")
  func replaced() async {
    let executor = BlockingExecutor(threadCount: 4)
    let gate = Semaphore()
    let waiting = (0..<20).map { _ in
      Task(executorPreference: executor) { #expect(executor.replacingThread { gate.wait() }) }
    }
    for _ in 0..<20 { await Task(executorPreference: executor) {}.value }
    for _ in waiting { gate.signal() }
    for task in waiting { await task.value }
    let running = Lock((now: 0, most: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask(executorPreference: executor) {
          running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
          usleep(2000)
          running.withLock { $0.now -= 1 }
        }
      }
    }
    #expect(running.withLock { $0.most } <= 4)
  }

  @Test("A blocking executor limits the waiting threads, and further jobs are told not to wait")
  func tooMany() async {
    let executor = BlockingExecutor(threadCount: 4)
    let (gate, refused) = (Semaphore(), Lock(0))
    let waiting = (0..<80).map { _ in
      Task(executorPreference: executor) {
        if !executor.replacingThread({ gate.wait() }) { refused.withLock { $0 += 1 } }
      }
    }
    for _ in 0..<500 where refused.withLock({ $0 }) < 16 { usleep(10_000) }
    #expect(refused.withLock { $0 } == 16)
    for _ in waiting { gate.signal() }
    for task in waiting { await task.value }
  }

  /// Blocks a thread of its own, so that the cooperative pool stays free.
  private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await Task(executorPreference: BlockingExecutor(threadCount: 1), operation: body).value
  }
}

private func threadNumber() -> UInt { UInt(pthread_self()) }
