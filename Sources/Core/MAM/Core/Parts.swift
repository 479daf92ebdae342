import Model
import Support

/// The parts that the rooms of one core share. None of them knows the core.
package final class Parts: Sendable {
  let live: LiveState
  let hosts: CurrentHost
  let memory: ProcessMemory
  /// What was read for a question that is only answered; `nil` for rooms that also act.
  let known: KnownOwners?

  init(_ live: LiveState, _ hosts: CurrentHost, _ memory: ProcessMemory, known: KnownOwners? = nil) {
    self.live = live
    self.hosts = hosts
    self.memory = memory
    self.known = known
  }
}

/// What a process remembers of its app while it runs. Nothing of it is stored.
final class ProcessMemory: Sendable {
  let restart = PendingRestart()
  let ongoingEnrollments = OngoingEnrollments()
  let sourceTokens = SourceTokens()
  let keptSignIns = KeptSignIns()
  let remediations = Remediations()
  let trustedAuthorities = TrustedAuthorities()
  let managedUserChecks = ManagedUserChecks()
  let screenOwners = ScreenOwners()
  let screenTimes = ScreenTimes()
  let identity = ProcessIdentity()
}
