import Support

/// Limits how often somebody may ask: a bucket for each, which fills up again with time.
///
/// Keeps the buckets that are not full, and at most as many full ones: whoever asks now and then costs no memory.
final class RequestLimiter: Sendable {
  /// Whose bucket it is. A host chooses the id of a registration, so that it must not count as that of a user.
  enum Key: Hashable, Sendable {
    /// The object id of a user, or the id of a program.
    case user(String)
    /// The id of a registration whose secret was right.
    case registration(String)
    /// The id of a registration whose host waits for changes.
    case poll(String)
  }

  private struct Bucket {
    var tokens: Double
    var time: Timestamp
  }

  private struct State {
    var buckets: [Key: Bucket] = [:]
    /// How many buckets there may be before the full ones are dropped.
    var limit = fewestBuckets
  }

  private static let fewestBuckets = 512
  private static let mostBuckets = 100_000

  private let burst: Double
  private let rate: Double
  private let state = Lock(State())

  /// `burst` requests at once, and `rate` more in each second.
  init(burst: Double, rate: Double) {
    (self.burst, self.rate) = (burst, rate)
  }

  /// Takes a request from somebody's bucket. Returns how long to wait if the bucket is empty; `nil` otherwise.
  func take(_ key: Key, at now: Timestamp) -> Duration? {
    state.withLock { state in
      if state.buckets.count >= state.limit, state.buckets[key] == nil { dropFull(&state, now) }
      var bucket = state.buckets[key] ?? Bucket(tokens: burst, time: now)
      bucket.tokens = tokens(of: bucket, now)
      bucket.time = now
      guard bucket.tokens >= 1 else {
        state.buckets[key] = bucket
        return .seconds((1 - bucket.tokens) / rate)
      }
      bucket.tokens -= 1
      state.buckets[key] = bucket
      return nil
    }
  }

  /// How many buckets are kept.
  var count: Int { state.withLock { $0.buckets.count } }

  /// A clock that goes back takes nothing away.
  private func tokens(of bucket: Bucket, _ now: Timestamp) -> Double {
    let elapsed = Double(max(0, now.milliseconds - bucket.time.milliseconds)) / 1000
    return min(burst, bucket.tokens + elapsed * rate)
  }

  /// A full bucket is as good as none. If hardly any is full, all are dropped: the limit protects the service, not the
  /// count.
  private func dropFull(_ state: inout State, _ now: Timestamp) {
    state.buckets = state.buckets.filter { tokens(of: $0.value, now) < burst }
    if state.buckets.count > Self.mostBuckets / 2 { state.buckets = [:] }
    state.limit = max(Self.fewestBuckets, state.buckets.count * 2)
  }
}
