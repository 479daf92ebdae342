import Support

/// Wakes the requests that wait for news about some users.
final class ChangeHub: Sendable {
  /// A request that waits, or is about to.
  struct Poll: Sendable {
    fileprivate let id: Int
  }

  private struct Entry {
    /// `nil` as long as it is not known whom the request is about.
    var users: Set<String>?
    /// Whether there was news since the request last looked.
    var hasNews = false
    var continuation: CheckedContinuation<Void, Never>?
  }

  private struct State {
    var polls: [Int: Entry] = [:]
    /// The polls about a user.
    var pollsOfUser: [String: Set<Int>] = [:]
    /// The polls of which it is not known whom they are about.
    var unclaimed: Set<Int> = []
    var lastID = 0
    var isOver = false
  }

  private let limit: Int
  private let limitOfUser: Int
  private let state = Lock(State())

  /// How many requests may wait, and how many of them about one user.
  init(limit: Int, limitOfUser: Int) {
    (self.limit, self.limitOfUser) = (limit, limitOfUser)
  }

  var count: Int { state.withLock { $0.polls.count } }

  /// Whether the service ends.
  var isOver: Bool { state.withLock { $0.isOver } }

  var isFull: Bool { state.withLock { $0.polls.count >= limit || $0.isOver } }

  /// Begins to listen, before the request looks for changes. `nil` if too many wait already. Call `end` later.
  func begin() -> Poll? {
    state.withLock { state in
      guard state.polls.count < limit, !state.isOver else { return nil }
      state.lastID += 1
      state.polls[state.lastID] = Entry()
      state.unclaimed.insert(state.lastID)
      return Poll(id: state.lastID)
    }
  }

  /// Says whom a request is about. Returns false if too many wait for news about one of them already.
  func claim(_ poll: Poll, for users: Set<String>) -> Bool {
    state.withLock { state in
      guard state.polls[poll.id]?.users == nil else { return true }
      guard users.allSatisfy({ state.pollsOfUser[$0]?.count ?? 0 < limitOfUser }) else { return false }
      state.polls[poll.id]?.users = users
      state.unclaimed.remove(poll.id)
      for user in users { state.pollsOfUser[user, default: []].insert(poll.id) }
      return true
    }
  }

  func end(_ poll: Poll) {
    state.withLock { state in
      state.unclaimed.remove(poll.id)
      for user in state.polls.removeValue(forKey: poll.id)?.users ?? [] {
        state.pollsOfUser[user]?.remove(poll.id)
        if state.pollsOfUser[user]?.isEmpty == true { state.pollsOfUser[user] = nil }
      }
    }
  }

  /// Waits until there is news about the users of the request, the time is up, the task is cancelled, or the service
  /// ends.
  func wait(_ poll: Poll, atMost time: Duration) async {
    let timer = Timers.shared.after(time) { [weak self] in self?.wake { _ in [poll.id] } }
    defer { timer.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state -> Bool in
          guard let entry = state.polls[poll.id], !state.isOver, !entry.hasNews, !Task.isCancelled else {
            state.polls[poll.id]?.hasNews = false
            return false
          }
          state.polls[poll.id]?.continuation = continuation
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      wake { _ in [poll.id] }
    }
  }

  /// Wakes the requests about a user.
  func tell(user: String) { wake { $0.unclaimed.union($0.pollsOfUser[user] ?? []) } }

  func tellAll() { wake { Set($0.polls.keys) } }

  /// Lets all requests answer now, and takes no others.
  func endAll() {
    state.withLock { $0.isOver = true }
    tellAll()
  }

  private func wake(_ meant: (State) -> Set<Int>) {
    let woken = state.withLock { state in
      var woken: [CheckedContinuation<Void, Never>] = []
      for id in meant(state) where state.polls[id] != nil {
        if let continuation = state.polls[id]?.continuation {
          state.polls[id]?.continuation = nil
          woken.append(continuation)
        } else {
          state.polls[id]?.hasNews = true
        }
      }
      return woken
    }
    for continuation in woken { continuation.resume() }
  }
}
