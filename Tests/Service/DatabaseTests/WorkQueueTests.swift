import Database
import Testing

@Suite(.timeLimit(.minutes(1))) struct WorkQueueTests {
  @Test("A work queue refuses a job beyond its limit and accepts one again after a job is taken")
  func limit() {
    let queue = WorkQueue<Int>(limit: 2)
    #expect(queue.add(1) == nil)
    #expect(queue.add(2) == nil)
    let refusal = queue.add(3)
    #expect(refusal?.reason == .unavailable)
    #expect(refusal?.text == "2 requests wait for the database already")
    #expect(queue.next() == 1)
    #expect(queue.add(4) == nil)
    #expect(queue.nextWaiting() == 2)
    #expect(queue.nextWaiting() == 4)
    #expect(queue.nextWaiting() == nil)
  }

  @Test("A closed work queue hands out the waiting jobs and refuses new ones")
  func closed() {
    let queue = WorkQueue<Int>(limit: 2)
    #expect(queue.add(1) == nil)
    queue.close()
    #expect(queue.add(2)?.reason == .unavailable)
    #expect(queue.next() == 1)
    #expect(queue.next() == nil)
    #expect(queue.next() == nil)
  }

  @Test("A closed work queue releases every thread that waits for a job")
  func closing() async throws {
    let (queue, threads) = (WorkQueue<Int>(limit: 1), WorkThreads())
    for _ in 0..<3 { try threads.start { _ = queue.next() } }
    queue.close()
    await threads.ended()
  }
}
