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
    var lastID = 0
    var isOver = false
  }

  private let limit: Int
  private let state = Lock(State())

  /// `limit` is how many requests may wait.
  init(limit: Int) {
    self.limit = limit
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
      return Poll(id: state.lastID)
    }
  }

  func end(_ poll: Poll) { state.withLock { _ = $0.polls.removeValue(forKey: poll.id) } }

  /// Waits until there is news about one of the users, the time is up, the task is cancelled, or the service ends.
  func wait(_ poll: Poll, for users: Set<String>, atMost time: Duration) async {
    let timer = Timers.shared.after(time) { [weak self] in self?.wake { $0 == poll.id } }
    defer { timer.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state -> Bool in
          guard var entry = state.polls[poll.id], !state.isOver, !entry.hasNews, !Task.isCancelled else {
            state.polls[poll.id]?.hasNews = false
            return false
          }
          entry.users = users
          entry.continuation = continuation
          state.polls[poll.id] = entry
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      wake { $0 == poll.id }
    }
  }

  /// Wakes the requests about a user.
  func tell(user: String) { wake(users: { $0?.contains(user) ?? true }) }

  func tellAll() { wake(users: { _ in true }) }

  /// Lets all requests answer now, and takes no others.
  func endAll() {
    state.withLock { $0.isOver = true }
    tellAll()
  }

  private func wake(_ isMeant: (Int) -> Bool) { wake { id, _ in isMeant(id) } }

  private func wake(users isMeant: (Set<String>?) -> Bool) { wake { _, users in isMeant(users) } }

  private func wake(_ isMeant: (Int, Set<String>?) -> Bool) {
    let woken = state.withLock { state in
      var woken: [CheckedContinuation<Void, Never>] = []
      for (id, entry) in state.polls where isMeant(id, entry.users) {
        if let continuation = entry.continuation {
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
