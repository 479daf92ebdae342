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

extension CheckIns {
  /// Asks a policy source on this machine.
  fileprivate func inquiry(_ scope: TenantSource.Scope, _ tokens: TokenGrants) throws(MAMError) -> PolicyInquiry {
    try live.refresh()
    guard let inquiry = source.inquiryByReading(scope, with: tokens) else { throw .cancelled }
    return inquiry
  }

  /// Asks a policy source on this machine and commits, without what follows for the host.
  func registerAndEnroll(
    _ reference: AccountReference?, with tokens: TokenGrants = .none
  ) throws(MAMError) -> EnrollmentStatus {
    try registerAndEnroll(reference, with: inquiry(.account(reference), tokens))
  }

  /// Asks a policy source on this machine and commits, without what follows for the host.
  func checkIn(
    _ reference: AccountReference?, with tokens: TokenGrants = .none
  ) throws(MAMError) -> [EnrollmentStatus] {
    while true {
      if let statuses = try checkIn(reference, with: inquiry(.account(reference), tokens)) { return statuses }
    }
  }
}

extension Scheduler {
  @discardableResult
  func runDue(with tokens: TokenGrants = .none) throws(MAMError) -> [EnrollmentStatus]? {
    try live.refresh()
    return try runDue(with: checkIns.inquiry(.due(through: live.now), tokens))
  }

  /// Moves the manual clock without what follows for the host. The time then.
  @discardableResult
  func advance(byMilliseconds milliseconds: Int64) throws(MAMError) -> Timestamp {
    try live.refresh()
    let end = live.now.advanced(by: max(0, milliseconds))
    _ = try advance(to: end, stoppingForWipes: false, with: checkIns.inquiry(.due(through: end), .none))
    return end
  }
}
