import Glibc
import TestSupport
import Testing

@Suite(.ownThreads) struct LifeWalkTests {
  private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

  /// Others at every run, unless told; each walk is one that can be repeated.
  private static let seeds: [UInt64] = {
    let first = number("MAMBRIDGE_WALK_SEED") ?? .random(in: 0..<1_000_000)
    return (0..<(number("MAMBRIDGE_WALKS") ?? 5)).map { first + $0 }
  }()

  @Test(
    "After random acts of hosts, administrators and time, events, answers and state match the model",
    .timeLimit(.minutes(10)), arguments: seeds)
  func walk(seed: UInt64) throws {
    let steps = Int(Self.number("MAMBRIDGE_WALK_STEPS") ?? 500)
    print("walk of \(steps) steps; to repeat it: MAMBRIDGE_WALK_SEED=\(seed) MAMBRIDGE_WALKS=1")
    let walk = try LifeWalk(seed: seed)
    do {
      try walk.run(steps: steps)
    } catch let difference as LifeWalk.Difference {
      Issue.record("\(difference)\nseed \(seed), behind\n\(walk.story.suffix(25).joined(separator: "\n"))")
    }
  }
}
