import Model
import Support

/// The subscribers that receive lines as they are written.
final class LogSubscribers: Sendable {
  private struct Subscriber: Sendable {
    let number: Int
    let level: LogLevel
    let receive: @Sendable (LogEntry) -> Void
  }

  private struct State {
    var lastNumber = 0
    var subscribers: [Subscriber] = []
  }

  private let state = Lock(State())

  func add(from level: LogLevel, _ receive: @escaping @Sendable (LogEntry) -> Void) -> Int {
    state.withLock { state in
      state.lastNumber += 1
      state.subscribers.append(Subscriber(number: state.lastNumber, level: level, receive: receive))
      return state.lastNumber
    }
  }

  func remove(_ number: Int) {
    state.withLock { state in state.subscribers.removeAll { $0.number == number } }
  }

  func deliver(_ entry: LogEntry) {
    for subscriber in state.withLock({ $0.subscribers }) where entry.level >= subscriber.level {
      subscriber.receive(entry)
    }
  }
}
