import Support

/// Limits how often somebody may ask: a bucket for each, which fills up again with time.
final class RequestLimiter: Sendable {
  private struct Bucket {
    var tokens: Double
    var time: Timestamp
  }

  private static let mostBuckets = 100_000

  private let burst: Double
  private let rate: Double
  private let buckets = Lock<[String: Bucket]>([:])

  /// `burst` requests at once, and `rate` more in each second.
  init(burst: Double, rate: Double) {
    (self.burst, self.rate) = (burst, rate)
  }

  /// Takes a request from somebody's bucket. Returns how long to wait if the bucket is empty; `nil` otherwise.
  func take(_ name: String, at now: Timestamp) -> Duration? {
    buckets.withLock { buckets in
      if buckets.count >= Self.mostBuckets, buckets[name] == nil { dropFull(&buckets, now) }
      var bucket = buckets[name] ?? Bucket(tokens: burst, time: now)
      bucket.tokens = tokens(of: bucket, now)
      bucket.time = now
      guard bucket.tokens >= 1 else {
        buckets[name] = bucket
        return .seconds((1 - bucket.tokens) / rate)
      }
      bucket.tokens -= 1
      buckets[name] = bucket
      return nil
    }
  }

  /// A clock that goes back takes nothing away.
  private func tokens(of bucket: Bucket, _ now: Timestamp) -> Double {
    let elapsed = Double(max(0, now.milliseconds - bucket.time.milliseconds)) / 1000
    return min(burst, bucket.tokens + elapsed * rate)
  }

  /// A full bucket is as good as none. If none is full, all are dropped: the limit protects the service, not the count.
  private func dropFull(_ buckets: inout [String: Bucket], _ now: Timestamp) {
    buckets = buckets.filter { tokens(of: $0.value, now) < burst }
    if buckets.count >= Self.mostBuckets { buckets = [:] }
  }
}
