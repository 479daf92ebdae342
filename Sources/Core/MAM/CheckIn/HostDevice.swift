import Glibc
import Model
import Support

/// The device as the host reports it.
package struct HostDevice: Sendable {
  let live: LiveState
  let scheduler: Scheduler

  /// Changes what is reported about the device, for all apps of the state folder. Before it returns, runs the check-ins
  /// that become due because of the change, and follows up with the host. May block.
  package func change(
    _ change: @Sendable (inout Device) -> Void
  ) async throws(MAMError) -> Device {
    let device = try store(change)
    try await scheduler.runDueAndFollowUp()
    return device
  }

  func store(_ change: @Sendable (inout Device) -> Void) throws(MAMError) -> Device {
    let services = try live.refresh()
    guard CommitPoint.current?.pass() ?? true else { throw .cancelled }
    let record = try live.reopeningWhenDamaged { () throws(MAMError) in try services.device.change(change) }
    live.publish(services)
    return record.device
  }
}

extension HostMachine {
  /// The name of this machine, without a domain unless it was set with one.
  static var currentName: String {
    var name = utsname()
    uname(&name)
    return text(of: &name.nodename)
  }

  static var current: HostMachine {
    var name = utsname()
    uname(&name)
    return HostMachine(
      system: text(of: &name.sysname), release: text(of: &name.release), architecture: text(of: &name.machine))
  }

  /// The text of a field of C characters, up to the terminating zero.
  private static func text<Characters>(of characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
