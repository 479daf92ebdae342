import Support

/// Wakes the requests that wait for news about some users.
///
/// A registration may have a few requests that wait. One more displaces the oldest, so that whoever has the secret of one
/// registration keeps no news from the others. A request that waits for several registrations stays until it is displaced
/// from all of them.
final class ChangeHub: Sendable {
  /// A request that waits, or is about to.
  struct Poll: Sendable {
    fileprivate let id: Int
  }

  private struct Entry {
    /// `nil` as long as it is not known whom the request is about.
    var users: Set<String>?
    /// The registrations in whose places it waits.
    var places: Set<String> = []
    var isDisplaced = false
    /// Whether there was news since the request last looked.
    var hasNews = false
    var continuation: CheckedContinuation<Void, Never>?
  }

  private struct State {
    var polls: [Int: Entry] = [:]
    /// The polls about a user.
    var pollsOfUser: [String: Set<Int>] = [:]
    /// The polls in the places of a registration, oldest first.
    var pollsOfRegistration: [String: [Int]] = [:]
    /// The polls of which it is not known whom they are about.
    var unclaimed: Set<Int> = []
    var lastID = 0
    var isOver = false

    /// Returns the poll that has lost its last place by that.
    mutating func enter(_ poll: Int, _ registration: String, limit: Int) -> Int? {
      pollsOfRegistration[registration, default: []].append(poll)
      guard let polls = pollsOfRegistration[registration], polls.count > limit else { return nil }
      let oldest = polls[0]
      leave(oldest, registration)
      self.polls[oldest]?.places.remove(registration)
      guard self.polls[oldest]?.places.isEmpty == true else { return nil }
      self.polls[oldest]?.isDisplaced = true
      return oldest
    }

    mutating func leave(_ poll: Int, _ registration: String) {
      pollsOfRegistration[registration]?.removeAll { $0 == poll }
      if pollsOfRegistration[registration]?.isEmpty == true { pollsOfRegistration[registration] = nil }
    }
  }

  private let limit: Int
  private let limitOfRegistration: Int
  private let state = Lock(State())

  /// How many requests may wait, and how many of them for one registration.
  init(limit: Int, limitOfRegistration: Int) {
    (self.limit, self.limitOfRegistration) = (limit, max(1, limitOfRegistration))
  }

  var count: Int { state.withLock { $0.polls.count } }

  /// How many requests have not said yet whom they are about.
  var unclaimedCount: Int { state.withLock { $0.unclaimed.count } }

  /// Whether so many requests wait in the places of a registration.
  func isWaiting(inPlacesOf registration: String, count: Int) -> Bool {
    state.withLock { $0.pollsOfRegistration[registration]?.count == count }
  }

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

  /// Says whom a request is about, and lets it wait in the places of registrations. Returns how many requests have lost
  /// all of their places by that: they answer at once, as if their time were up.
  func claim(_ poll: Poll, for users: Set<String>, in registrations: Set<String>) -> Int {
    let displaced = state.withLock { state -> Set<Int> in
      guard state.polls[poll.id]?.users == nil else { return [] }
      state.polls[poll.id]?.users = users
      state.polls[poll.id]?.places = registrations
      state.unclaimed.remove(poll.id)
      for user in users { state.pollsOfUser[user, default: []].insert(poll.id) }
      return Set(registrations.compactMap { state.enter(poll.id, $0, limit: limitOfRegistration) })
    }
    if !displaced.isEmpty { wake { _ in displaced } }
    return displaced.count
  }

  /// Whether others have taken all places of a request.
  func isDisplaced(_ poll: Poll) -> Bool { state.withLock { $0.polls[poll.id]?.isDisplaced ?? false } }

  func end(_ poll: Poll) {
    state.withLock { state in
      state.unclaimed.remove(poll.id)
      guard let entry = state.polls.removeValue(forKey: poll.id) else { return }
      for user in entry.users ?? [] {
        state.pollsOfUser[user]?.remove(poll.id)
        if state.pollsOfUser[user]?.isEmpty == true { state.pollsOfUser[user] = nil }
      }
      for registration in entry.places { state.leave(poll.id, registration) }
    }
  }

  /// Waits until there is news about the users of the request, the time is up, the request is displaced, the task is
  /// cancelled, or the service ends.
  func wait(_ poll: Poll, atMost time: Duration) async {
    let timer = Timers.shared.after(time) { [weak self] in self?.wake { _ in [poll.id] } }
    defer { timer.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state -> Bool in
          guard let entry = state.polls[poll.id], !state.isOver, !entry.hasNews, !entry.isDisplaced,
            !Task.isCancelled
          else {
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
  func notify(user: String) { wake { $0.unclaimed.union($0.pollsOfUser[user] ?? []) } }

  func notifyAll() { wake { Set($0.polls.keys) } }

  /// Lets all requests answer now, and takes no others.
  func endAll() {
    state.withLock { $0.isOver = true }
    notifyAll()
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
