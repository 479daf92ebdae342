import Cryptography
import Support

/// Tokens that were verified, by their SHA-256, so that a client that calls often costs one signature.
///
/// Holds at most `capacity` tokens; when half of them are new, those that were not used since the last time are
/// forgotten.
final class VerifiedTokens: Sendable {
  struct Entry: Sendable {
    let caller: Caller
    /// When the token is no longer accepted.
    let end: Timestamp
    let keyName: String
    let algorithm: SignatureAlgorithm
    let key: SignatureKey
  }

  private struct State {
    var recent: [[UInt8]: Entry] = [:]
    var earlier: [[UInt8]: Entry] = [:]
  }

  static let usualCapacity = 2048

  private let half: Int
  private let state = Lock(State())

  init(capacity: Int = usualCapacity) { half = max(1, capacity / 2) }

  func entry(_ digest: [UInt8], at now: Timestamp) -> Entry? {
    state.withLock { state in
      guard let entry = state.recent[digest] ?? state.earlier[digest] else { return nil }
      guard now < entry.end else {
        (state.recent[digest], state.earlier[digest]) = (nil, nil)
        return nil
      }
      insert(entry, digest, into: &state)
      return entry
    }
  }

  func insert(_ entry: Entry, _ digest: [UInt8]) { state.withLock { insert(entry, digest, into: &$0) } }

  var count: Int { state.withLock { Set($0.recent.keys).union($0.earlier.keys).count } }

  private func insert(_ entry: Entry, _ digest: [UInt8], into state: inout State) {
    if state.recent.count >= half, state.recent[digest] == nil {
      (state.earlier, state.recent) = (state.recent, [:])
    }
    state.recent[digest] = entry
  }
}
