/// How long to wait before another try: twice as long after each failure, less a random part, so that many clients do
/// not come back at the same moment.
package struct Backoff: Sendable {
  private let shortest: Duration
  private let longest: Duration
  package private(set) var failures = 0

  package init(from shortest: Duration = .seconds(1), upTo longest: Duration = .seconds(300)) {
    self.shortest = shortest
    self.longest = longest
  }

  /// Counts a failure and returns the wait: between half of the doubled wait and all of it, but at least `retryAfter`.
  package mutating func wait(
    atLeast retryAfter: Duration? = nil, using random: inout some RandomNumberGenerator
  ) -> Duration {
    let full = min(longest, shortest * (1 << min(failures, 20)))
    failures += 1
    return max(full * Double.random(in: 0.5...1, using: &random), retryAfter ?? .zero)
  }

  package mutating func wait(atLeast retryAfter: Duration? = nil) -> Duration {
    var random = SystemRandomNumberGenerator()
    return wait(atLeast: retryAfter, using: &random)
  }

  package mutating func noteSuccess() { failures = 0 }
}
