import Testing

@Suite("Random uses of shared windows", .timeLimit(.minutes(5)), .ownThreads)
struct WindowWalkTests {
  @Test(
    "In random uses by one or two processes, windows, blocks and answers match the model",
    arguments: [1, 2], [1, 2, 3, 4] as [UInt64])
  func walk(processes: Int, seed: UInt64) throws {
    let walk = try WindowWalk(seed: seed, processes: processes)
    do {
      try walk.run(steps: 150)
    } catch let difference as WindowWalk.Difference {
      let story = walk.story.suffix(25).joined(separator: "\n")
      Issue.record("\(difference)\n\(processes) processes, seed \(seed), after\n\(story)")
    }
  }
}
