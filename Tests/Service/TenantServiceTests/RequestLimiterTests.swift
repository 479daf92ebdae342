import Support
import Testing

@testable import TenantService

@Suite struct RequestLimiterTests {
  private let start = Timestamp(milliseconds: 1_800_000_000_000)

  @Test("The request limiter allows a burst, then refills at its rate, and says how long to wait")
  func limit() {
    let limiter = RequestLimiter(burst: 3, rate: 2)
    for _ in 0..<3 { #expect(limiter.take(.user("alice"), at: start) == nil) }
    #expect(limiter.take(.user("alice"), at: start) == .milliseconds(500))
    #expect(limiter.take(.user("bob"), at: start) == nil, "others are not held back")
    #expect(limiter.take(.user("alice"), at: start.advanced(by: 500)) == nil)
    #expect(limiter.take(.user("alice"), at: start.advanced(by: 500)) != nil)
    #expect(limiter.take(.user("alice"), at: start) != nil, "a clock that goes back gives nothing")
  }

  @Test("The request limiter keeps few buckets even if many users each send a request now and then")
  func memory() {
    let limiter = RequestLimiter(burst: 120, rate: 4)
    // A thousand a second: each bucket is full again after a quarter of a second.
    for number in 0..<20_000 {
      #expect(limiter.take(.user("user \(number)"), at: start.advanced(by: Int64(number))) == nil)
    }
    #expect(limiter.count < 1024)
  }

  @Test("The request limiter keeps limiting a user while many other users come and go")
  func others() {
    let limiter = RequestLimiter(burst: 2, rate: 0.001)
    for _ in 0..<2 { #expect(limiter.take(.user("alice"), at: start) == nil) }
    for number in 0..<20_000 {
      _ = limiter.take(.user("user \(number)"), at: start)
      if number % 1000 == 0 { #expect(limiter.take(.user("alice"), at: start) != nil) }
    }
  }

  @Test("The request limiter has a bounded number of buckets even if none refills")
  func bound() {
    let limiter = RequestLimiter(burst: 2, rate: 0.001)
    for number in 0..<250_000 { _ = limiter.take(.user("user \(number)"), at: start) }
    #expect(limiter.count <= 100_000)
  }
}
