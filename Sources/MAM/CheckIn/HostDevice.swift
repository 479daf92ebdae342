import Glibc
import Model
import Support

/// What the host says of its device.
package struct HostDevice: Sendable {
  let core: Core

  /// Changes what is told of the device, for all apps of the state folder; what becomes due by it is done before this
  /// returns, with what follows for the host. May block.
  package func change(
    _ change: @Sendable (inout Device) -> Void
  ) async throws(MAMError) -> Device {
    let device = try store(change)
    try await core.scheduler.runDueAndFollowUp()
    return device
  }

  func store(_ change: @Sendable (inout Device) -> Void) throws(MAMError) -> Device {
    let services = try core.refresh()
    guard CommitPoint.current?.pass() ?? true else { throw .cancelled }
    let record = try core.reopeningWhenDamaged { () throws(MAMError) in try services.device.change(change) }
    core.publish(services)
    return record.device
  }
}

extension HostMachine {
  static var current: HostMachine {
    var name = utsname()
    uname(&name)
    return HostMachine(
      system: text(of: &name.sysname), release: text(of: &name.release), architecture: text(of: &name.machine))
  }

  /// A field of C characters that ends with 0.
  private static func text<Characters>(of characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
