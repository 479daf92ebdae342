import Model
import Support

extension Core {
  /// Changes what is told of the device, for all apps of the state folder; what becomes due by it is done before this
  /// returns, with what follows for the host. May block.
  package func changeDeviceAndFollowUp(
    _ change: @Sendable (inout Device) -> Void
  ) async throws(MAMError) -> Device {
    let device = try storeDevice(change)
    try await scheduler.runDueAndFollowUp()
    return device
  }

  func storeDevice(_ change: @Sendable (inout Device) -> Void) throws(MAMError) -> Device {
    let services = try refresh()
    guard CommitPoint.current?.pass() ?? true else { throw .cancelled }
    let record = try reopeningWhenDamaged { () throws(MAMError) in try services.device.change(change) }
    publish(services)
    return record.device
  }
}
