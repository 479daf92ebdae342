import Model
import Support

@testable import MAM

extension Core {
  /// Changes the device and does what becomes due by it, without what follows for the host.
  @discardableResult
  func changeDevice(_ change: @Sendable (inout Model.Device) -> Void) throws(MAMError) -> Model.Device {
    let device = try hostDevice.store(change)
    try scheduler.runDue()
    return device
  }
}

extension Scheduler {
  /// Moves the manual clock without what follows for the host. The time then.
  @discardableResult
  func advance(byMilliseconds milliseconds: Int64) throws(MAMError) -> Timestamp {
    try core.refresh()
    let end = core.now.advanced(by: max(0, milliseconds))
    _ = try advance(to: end, stoppingForWipes: false)
    return end
  }
}
