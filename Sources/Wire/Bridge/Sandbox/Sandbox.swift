import Glibc
import JSON
import MAM
import Model
import Policy
import Support
import Tenancy
import Vault

/// A state and a tenant in a private folder that ends with the process. Only a server of a sandbox has the methods
/// `sandbox.*`.
package final class Sandbox: Sendable {
  package let folder: SandboxFolder
  /// Changes of the tenant and exchanges of the state, one after the other. Unlike other locks, this one is held while
  /// files are written, and nobody waits for it forever.
  private let turn = Lock(())
  let user = ScriptedUser()
  let story: SandboxStory
  let awaited = AwaitedEvents()
  let command: SandboxCommand
  /// For a `FaultySource`.
  package let faults: PlantedFaults
  let network: SandboxNetwork

  /// The story leaves out the calls `reads`, with which a page only shows what is there. `serve` serves a tenant over the
  /// network.
  package init(
    _ folder: SandboxFolder, startedBy command: SandboxCommand = SandboxCommand(), untold reads: Set<String> = [],
    serving serve: @escaping SandboxNetwork.Start = SandboxNetwork.unavailable
  ) {
    network = SandboxNetwork(tenant: folder.tenant.path, start: serve)
    let story = SandboxStory(without: reads)
    (self.folder, self.command, self.story) = (folder, command, story)
    faults = PlantedFaults { story.tellFault($0, at: $1) }
  }

  /// Ends the network. Call it before the folder is removed.
  package func end() { network.end() }

  /// How many programs have joined.
  var joinedPrograms: Int { JoinedSandbox(root: folder.root).count }

  /// The user of the tenant who is most likely meant by a name; `nil` if none is, or if it is the name of one.
  func nearestUser(to name: String) -> String? {
    let names = (try? contents())?.tenant.users.map(\.userPrincipalName) ?? []
    let nearest = names.nearestUser(to: name)
    return nearest?.lowercasedASCII == name.lowercasedASCII ? nil : nearest
  }

  /// Changes the tenant. Commit point: before the change. It counts at the next check-in. A network has read it when this
  /// returns.
  func changeTenant<Result: Sendable>(
    _ change: (TenantWriter) throws(TenantWriteError) -> Result
  ) async throws(MAMError) -> Result {
    let result = try inTurn { () throws(MAMError) -> Result in
      try CommitPoint.passCurrent()
      do throws(TenantWriteError) { return try change(folder.tenant) } catch {
        throw MAMError(error, in: folder.tenant.path)
      }
    }
    try await network.reload()
    return result
  }

  /// The tenant, and the names of the saves.
  func contents() throws(MAMError) -> (tenant: TenantSnapshot, saves: [String]) {
    try inTurn { () throws(MAMError) in
      do throws(TenantError) {
        return (try FolderTenant(path: folder.tenant.path).read(), folder.saves)
      } catch {
        throw MAMError(
          .storeUnavailable, error.description, hint: "Check the files in the tenant's folder",
          path: folder.tenant.path)
      }
    }
  }

  private func inTurn<Result: Sendable>(_ body: () throws(MAMError) -> Result) throws(MAMError) -> Result {
    guard let result = try turn.withLockInTime({ _ throws(MAMError) in try body() }) else {
      throw MAMError(
        .stateInUse, "another call changes the sandbox", hint: "Call again when it has ended", path: folder.state.root)
    }
    return result
  }

  /// Keeps the state, the tenant and the time under a name, in place of what has the name.
  func save(_ name: String, _ core: Core) throws(MAMError) {
    let save = try folder.save(named: name)
    try inTurn { () throws(MAMError) in try folder.write(to: save, at: core.now) }
  }

  /// Brings back what was kept under a name, or without a name what the sandbox began with. Returns the time of its clock.
  /// A network has read the tenant when this returns.
  func restore(_ name: String?, _ core: Core) async throws(MAMError) -> Timestamp {
    let named = try name.map { name throws(MAMError) in try folder.save(named: name) }
    let time = try inTurn { () throws(MAMError) -> Timestamp in
      let save = if let named { named } else { try folder.seed() }
      guard let time = folder.time(of: save) else {
        let nearest = folder.saves.nearest(to: name ?? "").map { "Did you mean \"\($0)\"?" }
        throw MAMError(
          .invalidParams, "/name: nothing was saved as \"\(name ?? "")\"",
          hint: nearest ?? "Save it first with sandbox.save", path: "/name")
      }
      if let other = folder.otherProcess {
        throw MAMError(
          .stateInUse, "\(other) uses the state of the sandbox, so it stays as it is",
          hint: "End the other programs that joined the sandbox, and call again", path: folder.state.root)
      }
      let copy = try folder.unpack(save)
      try CommitPoint.passCurrent()
      try core.exchangeState(at: time) { () throws(MAMError) in try folder.exchange(with: copy) }
      user.replace(with: ScriptedUser.Answers())
      try awaited.beginAgain(core)
      faults.clear()
      return time
    }
    try await network.reload()
    return time
  }

  /// Writes everything into a new folder, from which another sandbox can begin.
  func export(to path: AbsolutePath, _ core: Core) throws(MAMError) {
    var status = stat()
    guard lstat(path.text, &status) != 0 else {
      throw MAMError(
        .unsuitableFile, "the folder of the export exists already", hint: "Name a new folder", path: path.text)
    }
    try inTurn { () throws(MAMError) in try folder.export(to: path.text, at: core.now) }
  }
}

extension MAMError {
  init(_ error: TenantWriteError, in folder: String) {
    guard let member = error.member else {
      self =
        error.isDiskFull
        ? MAMError(.diskFull, error.description, hint: "Free some space in \(folder) and try again", path: folder)
        : MAMError(.storeUnavailable, error.description, hint: "Check the files in the tenant's folder", path: folder)
      return
    }
    let path = "/" + member
    self.init(.invalidParams, "\(path): \(error.description)", path: path)
  }
}
