import Glibc
import Model
import SQLite
import SourceProtocol
import Support
import Vault

/// Lets a policy source say when something changes, so that a wipe or a new policy need not wait for the next check-in.
///
/// Of all processes on the state folder of an app, one at a time has the lock and a source that watches. A process that
/// ends soon, such as a single call, never does.
struct SourceWatch: Sendable {
  private static let waitAfterFailure = Duration.seconds(60)

  let live: LiveState
  let source: any CheckInSource
  let registrations: Registrations

  /// Nothing watches on a manual clock, on which nothing runs by itself.
  var isNeeded: Bool {
    source.capabilities.usesRegistrations && live.manualClock == nil && !live.configuration.isObserving
  }

  /// Watches until the core ends, or something fails. Returns how long to wait before the next try.
  func run() async -> Duration {
    do throws(MAMError) {
      let path = live.configuration.stateFolder.sourceLock
      let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .cannotUse(path, errno) }
      defer { close(descriptor) }
      guard try Flock.isTaken(descriptor, path, atMost: .zero) else {
        return live.configuration.watchPatience
      }
      defer { source.watch([]) }
      return try await watch()
    } catch {
      return Self.waitAfterFailure
    }
  }

  private func watch() async throws(MAMError) -> Duration {
    var known: [String] = []
    while !Task.isCancelled {
      let mark = try live.changeMark()
      let registrations = try watched()
      let ids = registrations.map(\.id)
      if ids != known { source.watch(registrations) }
      known = ids
      _ = await live.changes.wait(beyond: mark)
    }
    return .zero
  }

  /// Empty without a network.
  private func watched() throws(MAMError) -> [SourceRegistration] {
    let services = try live.refresh()
    guard live.state.device.networkAvailable else { return [] }
    let stored = try services.store.read { connection throws(SQLiteError) in
      try connection.all(StoredRegistration.table, "ORDER BY id")
    }
    var watched: [SourceRegistration] = []
    for stored in stored {
      guard let opened = try registrations.opened(stored.id, stored.sealed, services) else { continue }
      watched.append(opened)
    }
    return watched
  }
}
