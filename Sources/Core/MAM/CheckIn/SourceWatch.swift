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

  let core: Core

  /// Begins to watch soon, until the core ends. Does nothing on a manual clock, on which nothing runs by itself.
  func begin() {
    guard core.source.capabilities.usesRegistrations, core.manualClock == nil, !core.configuration.isObserving else {
      return
    }
    core.sourceWatching.start { [weak core] in
      try? await Task.sleep(for: core?.configuration.watchPatience ?? .zero)
      while let core, !Task.isCancelled {
        let pause = await SourceWatch(core: core).run()
        try? await Task.sleep(for: pause)
      }
    }
  }

  /// Watches until the core ends, or something fails. Returns how long to wait before the next try.
  private func run() async -> Duration {
    do throws(MAMError) {
      let path = core.configuration.stateFolder.sourceLock
      let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw .cannotUse(path, errno) }
      defer { close(descriptor) }
      guard try Flock.isTaken(descriptor, path, atMost: .zero) else {
        return core.configuration.watchPatience
      }
      defer { core.source.provider.watch([]) }
      return try await watch()
    } catch {
      return Self.waitAfterFailure
    }
  }

  private func watch() async throws(MAMError) -> Duration {
    var known: [String] = []
    while !Task.isCancelled {
      let mark = try core.changeMark()
      let registrations = try registrations()
      let ids = registrations.map(\.id)
      if ids != known { core.source.provider.watch(registrations) }
      known = ids
      _ = await core.changes.wait(beyond: mark)
    }
    return .zero
  }

  /// Empty without a network.
  private func registrations() throws(MAMError) -> [SourceRegistration] {
    let services = try core.refresh()
    guard core.state.device.networkAvailable else { return [] }
    let stored = try services.store.read { connection throws(SQLiteError) in
      try connection.all(StoredRegistration.table, "ORDER BY id")
    }
    var registrations: [SourceRegistration] = []
    for stored in stored {
      guard let opened = try core.registrations.opened(stored.id, stored.sealed, services) else { continue }
      registrations.append(opened)
    }
    return registrations
  }
}
