import Model
import Support

/// Where an account stands, in words for a developer who wonders why.
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
    return "The last check-in\(time) ended with \(status.statusCode.sdkValue) \(status.statusCode.rawValue): \(reason)"
  }

  private var standing: String {
    let keepsPolicy = account.isManaged && !account.hasTestPolicy && account.life != .enrolled
    return "The account is \(account.life.rawValue): \(account.life.text)."
      + (keepsPolicy ? " Its last good policy stays in force." : "")
  }

  private var test: String? {
    account.hasTestPolicy
      ? "A test policy (debug.setPolicy, --debug-settings) is in force in place of what the source says." : nil
  }

  private var policyCount: String? {
    guard !policies.isEmpty else { return nil }
    let applied = policies.filter(\.applied).count
    return "Policies and configurations of the source that apply to it now: \(applied) of \(policies.count)."
  }

  private var next: String {
    let what = account.wipe.map { "Because \($0.reason.text), the wipe goes on" } ?? "The next check-in is due"
    guard due > now else { return "\(what) at once." }
    let wait = ISODuration(seconds: (due.milliseconds - now.milliseconds) / 1000)
    return "\(what) at \(due), in \(wait.spoken)."
  }
}
