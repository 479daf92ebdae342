import Model
import Support

extension Core {
  /// Changes what is told of the device, for all apps of the state folder; what becomes due by it is done before this
  /// returns. May block.
  package func changeDevice(_ change: @Sendable (inout Device) -> Void) throws(MAMError) -> Device {
    let services = try refresh()
    guard CommitPoint.current?.pass() ?? true else { throw .cancelled }
    let record = try reopeningWhenDamaged { () throws(MAMError) in try services.device.change(change) }
    publish(services)
    try scheduler.runDue()
    return record.device
  }
}
