import Model
import Support

/// The state of an account in words, for a developer who wants to know why.
struct AccountExplanation {
  let account: AccountState
  let policies: [ConsideredPolicy]
  let due: Timestamp
  let now: Timestamp

  var text: String {
    [lastCheckIn, standing, test, policyCount, next].compactMap { $0 }.joined(separator: " ")
  }

  private var lastCheckIn: String? {
    guard let status = account.status else { return nil }
    let time = account.checkedInAt.map { " at \($0)" } ?? ""
    let reason = status.errorString ?? StatusMeaning(of: status.statusCode).text + "."
    let code = "\(status.statusCode.sdkValue) (\(status.statusCode.rawValue))"
    return "The last check-in\(time) ended with status \(code): \(reason)"
  }

  private var standing: String {
    let keepsPolicy = account.isManaged && !account.hasTestPolicy && account.life != .enrolled
    return "The account is \(account.life.rawValue): \(account.life.text)."
      + (keepsPolicy ? " Its last good policy still applies." : "")
  }

  private var test: String? {
    account.hasTestPolicy
      ? "A test policy (debug.setPolicy, --debug-settings) replaces the policy of the policy source." : nil
  }

  private var policyCount: String? {
    guard !policies.isEmpty else { return nil }
    let applied = policies.filter(\.applied).count
    return "Of \(policies.count) policies and configurations in the policy source, \(applied) apply now."
  }

  private var next: String {
    guard let reason = account.wipe?.reason.text else { return "The next check-in is due \(time)." }
    let stop = reason.hasSuffix(".") ? "" : "."
    return "The account's data is being wiped because \(reason)\(stop) The wipe continues \(time)."
  }

  private var time: String {
    guard due > now else { return "at once" }
    let wait = ISODuration(seconds: (due.milliseconds - now.milliseconds) / 1000)
    return "at \(due), in \(wait.spoken)"
  }
}
