import Glibc
import Support

/// The connections of this process for which screens may be up, and how other processes know them.
package final class ScreenOwners: Sendable {
  private let connections = Lock<(last: Int, open: Set<Int>)>((0, []))
  private let process = String(getpid())

  /// The name of a new connection.
  package func begin() -> String {
    let number = connections.withLock { connections in
      connections.last += 1
      connections.open.insert(connections.last)
      return connections.last
    }
    return "\(process)/\(number)"
  }

  package func end(_ name: String) {
    guard let number = Self.parts(of: name)?.connection else { return }
    connections.withLock { _ = $0.open.remove(number) }
  }

  /// The name for what the core does by itself.
  var core: String { "\(process)/0" }

  /// Whether the connection is open, or belongs to another process that runs.
  func isThere(_ name: String) -> Bool {
    guard let parts = Self.parts(of: name) else { return false }
    guard parts.process == getpid() else { return kill(parts.process, 0) == 0 || errno == EPERM }
    return parts.connection == 0 || connections.withLock { $0.open.contains(parts.connection) }
  }

  private static func parts(of name: String) -> (process: pid_t, connection: Int)? {
    let parts = name.split(separator: "/")
    guard parts.count == 2, let process = pid_t(parts[0]), let connection = Int(parts[1]), process > 0 else {
      return nil
    }
    return (process, connection)
  }
}

/// The numbers of requests to hosts, and when screens are settled.
final class ScreenTimes: Sendable {
  /// Of all cores of the process.
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
