import Glibc
import Support

/// The connections of this process for which screens may be up, and how other processes know them.
package final class ScreenOwners: Sendable {
  private let connections = Lock<(last: Int, open: Set<Int>)>((0, []))
  /// The number of this process and when it started, because another process can get the same number.
  fileprivate static let process = "\(getpid()).\(startTime(of: getpid()) ?? "")"

  /// A new connection.
  package func begin() -> ScreenOwner {
    connections.withLock { connections in
      connections.last += 1
      connections.open.insert(connections.last)
      return ScreenOwner(connection: connections.last)
    }
  }

  package func end(_ owner: ScreenOwner) {
    connections.withLock { _ = $0.open.remove(owner.connection) }
  }

  /// Whether the connection is open, or belongs to another process that runs.
  func isThere(_ name: String) -> Bool {
    guard let (owner, connection) = Self.parts(of: name) else { return false }
    guard owner == Self.process else { return Self.isAlive(owner) }
    return connection == 0 || connections.withLock { $0.open.contains(connection) }
  }

  private static func parts(of name: String) -> (process: Substring, connection: Int)? {
    let parts = name.split(separator: "/")
    guard parts.count == 2, let connection = Int(parts[1]) else { return nil }
    return (parts[0], connection)
  }

  /// Whether another process runs. One with the number of this process does not.
  private static func isAlive(_ process: Substring) -> Bool {
    let parts = process.split(separator: ".")
    guard let number = parts.first.flatMap({ pid_t($0) }), number > 0, number != getpid(),
      kill(number, 0) == 0 || errno == EPERM
    else { return false }
    guard parts.count == 2, let start = startTime(of: number) else { return true }
    return start == parts[1]
  }
}

/// A connection of this process, or the core itself. Its name takes a look into /proc, so it is made only when needed.
package struct ScreenOwner: Sendable {
  package static let core = ScreenOwner(connection: 0)

  let connection: Int
  /// Another process, as its owners are named; `nil` for this one.
  var process: String?

  /// How other processes know the owner.
  var name: String { "\(process ?? ScreenOwners.process)/\(connection)" }
}

/// When a process started, in ticks since the start of the system; `nil` without /proc.
private func startTime(of process: pid_t) -> Substring? {
  guard let bytes = try? FileContents.read("/proc/\(process)/stat") else { return nil }
  // The name of the program, in parentheses, may contain anything.
  let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
  return fields.count > 19 ? fields[19] : nil
}

/// The numbers of requests to hosts, and when screens are settled.
final class ScreenTimes: Sendable {
  /// The last number that any core of the process has used.
  private static let lastNumber = Lock(0)
  /// Times in milliseconds.
  private let planned = Lock<Set<Int64>>([])

  func nextNumber() -> Int {
    Self.lastNumber.withLock { number in
      number += 1
      return number
    }
  }

  /// Returns false if something is planned at this time or before.
  func plan(_ time: Timestamp) -> Bool {
    planned.withLock { planned in
      guard !planned.contains(where: { $0 <= time.milliseconds }) else { return false }
      planned.insert(time.milliseconds)
      return true
    }
  }

  func didRun(_ time: Timestamp) {
    planned.withLock { _ = $0.remove(time.milliseconds) }
  }
}
