/// How long to wait before an attempt is repeated: twice as long each time, with jitter, so that clients that failed
/// together do not return together.
package struct BackOff: Sendable {
  private let first: Duration
  private let longest: Duration
  private var count = 0

  package init(first: Duration = .seconds(1), longest: Duration = .seconds(60)) {
    self.first = first
    self.longest = longest
  }

  /// Between half of the full wait and the full wait. `random` is from 0 to 1.
  package mutating func next(random: Double = .random(in: 0...1)) -> Duration {
    let full = min(first * (1 << min(count, 20)), longest)
    count += 1
    return full / 2 + full / 2 * random
  }
}
