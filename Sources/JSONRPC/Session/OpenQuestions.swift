/// The questions to a host that have no answer yet. Ids are "s1", "s2", ….
struct OpenQuestions {
  typealias Continuation = CheckedContinuation<PeerAnswer, Never>

  private var open: [String: Continuation] = [:]
  private var unsent: [(id: String, message: [UInt8])] = []
  private var count = 0
  private var hasEnded = false

  mutating func nextID() -> String {
    count += 1
    return "s\(count)"
  }

  /// False when nobody would answer it any more.
  mutating func put(_ id: String, _ message: [UInt8], _ continuation: Continuation) -> Bool {
    guard !hasEnded else { return false }
    open[id] = continuation
    unsent.append((id, message))
    return true
  }

  /// The messages of those that are still open, in the order in which they were put.
  mutating func takeUnsent() -> [[UInt8]] {
    guard !unsent.isEmpty else { return [] }
    defer { unsent.removeAll() }
    return unsent.map(\.message)
  }

  mutating func take(_ id: String) -> Continuation? {
    if !unsent.isEmpty { unsent.removeAll { $0.id == id } }
    return open.removeValue(forKey: id)
  }

  /// Those that are open; there will be no others.
  mutating func end() -> [Continuation] {
    hasEnded = true
    unsent.removeAll()
    defer { open.removeAll() }
    return Array(open.values)
  }
}
