import Model
import Policy
import Support
import Tenancy

/// Verbose lines about the steps of an enrollment or a check-in.
extension TenantSource {
  /// Logs what the policy source contains, and how long it took to read.
  func trace(reading inquiry: PolicyInquiry, _ duration: Duration) {
    guard live.verbose.isOn else { return }
    let line = Trace(live: live)
    let source: LogMessage =
      capabilities.path.map { "policy source \(public: capabilities.kind.rawValue) \(personal: $0, as: "path")" }
      ?? "policy source \(public: capabilities.kind.rawValue)"
    line(.enrollment) {
      guard let answers = inquiry.answers else { return source + "not read: the device has no network" }
      return switch answers.reply(at: nil) {
      case nil: source + "answered about \(answers.replies.count) accounts in \(duration)"
      case .fault(let fault): source + "failed after \(duration): \(public: fault.text)"
      case .news(let news): source + news.tenant.content(readIn: duration)
      }
    }
  }

  /// Logs, for the account of each status, which policies were considered, why each applies or not, the result, and
  /// when the next check-in is due.
  func trace(_ step: StaticString, _ statuses: [EnrollmentStatus], _ inquiry: PolicyInquiry) {
    guard live.verbose.isOn else { return }
    let line = Trace(live: live)
    let state = live.state
    for status in statuses {
      let account = Account(accountId: status.accountId, identity: status.identity)
      let found = account.reference.flatMap(state.account)
      let user = account.reference.flatMap { reference in
        inquiry.snapshots.lazy.compactMap { $0.user(for: reference) }.first
      }
      let standing = user.map { "lists the user, \($0.standing)" } ?? "does not list the user"
      line(.enrollment) { "\(step) \(personal: account): the source \(public: standing)" }
      for considered in user.map({ inquiry.considered($0) }) ?? [] {
        line(.enrollment) {
          "\(step) \(personal: account): \(public: considered.policyID) \(public: considered.text)"
        }
      }
      let due = found?.plan.checkInDue(on: state.deviceRecord)
      line(.enrollment) {
        """
        \(step) \(personal: account): ended with \(status.statusCode) (\(status.statusCode.sdkValue)); \
        enrolled \(found?.isEnrolled ?? false), managed \(found?.isManaged ?? false), \
        next check-in \(public: due?.description ?? "not planned")
        """
      }
    }
  }
}

extension TenantSnapshot {
  fileprivate func content(readIn duration: Duration) -> LogMessage {
    if let policyFault {
      return """
        read in \(duration), but not its policies: \(users.count) users, \(operations.count) operations; \
        \(public: policyFault.description)
        """
    }
    return """
      read in \(duration): \(users.count) users, \(policies.count) policies, \(configurations.count) configurations, \
      \(operations.count) operations, \(warnings.count) warnings
      """
  }
}

extension PolicyInquiry {
  fileprivate func considered(_ user: TenantUser) -> [Targeting.Considered] {
    let name = AccountReference(user.id)
    guard let tenant = snapshots.last(where: { $0.user(for: name) == user }) else { return [] }
    return tenant.targeting(
      of: user, app: appId, platform: device.device.platform, managementLevel: managementLevel(of: user, in: tenant),
      on: FilterDevice(device.device)
    ).considered
  }
}

extension TenantUser {
  fileprivate var standing: String {
    "\(isEnabled ? "enabled" : "disabled"), \(isLicensed ? "licensed" : "not licensed"), in \(groups.count) groups"
  }
}
