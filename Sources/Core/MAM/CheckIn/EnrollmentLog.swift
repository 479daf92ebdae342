import Model
import Policy
import Support

/// Lines about enrollments and check-ins.
extension DiagnosticsLog {
  /// Logs how a request ended.
  func write(_ request: StaticString, _ status: EnrollmentStatus, at time: Timestamp? = nil) {
    let account = Account(accountId: status.accountId, identity: status.identity)
    let text = status.errorString.map { ": " + $0 } ?? ""
    write(
      status.didSucceed ? .info : .warning, .enrollment, at: time, causedBy: .current,
      "\(request) \(personal: account): \(status.statusCode) (\(status.statusCode.sdkValue))\(public: text)")
  }

  func writeRepetition(of account: Account) {
    write(.warning, .enrollment, "\(personal: account) is already registered; nothing was tried")
  }

  func writeRename(of status: EnrollmentStatus, at time: Timestamp) {
    let account = Account(accountId: status.accountId, identity: status.identity)
    let former = Account(accountId: nil, identity: status.formerIdentity)
    write(
      .warning, .enrollment, at: time, causedBy: .current,
      "\(personal: account): the user was renamed; the name \(personal: former) no longer names the account")
  }

  /// Logs what was ignored in the policy source: the first 100 warnings, and how many more there are.
  func write(_ warnings: [PolicyWarning]) {
    let most = 100
    for warning in warnings.prefix(most) { write(.warning, .tenant, "\(public: warning.description)") }
    guard warnings.count > most else { return }
    write(
      .warning, .tenant,
      """
      The policy source has \(warnings.count - most) more warnings. If the source is a folder, "mambridge tenant check" lists them.
      """)
  }
}
