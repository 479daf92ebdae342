import Model
import Policy

/// Who gets which policies of a tenant's folder, and what in the folder needs attention. Reads the folder and targets
/// its policies in the same way as a check-in.
package struct TenantCheck: Sendable {
  /// Without policies if one cannot be read or says nothing, and empty if tenant.json cannot be read.
  package let tenant: TenantSnapshot
  package let findings: [TenantFinding]
  /// What all users get in all places that are shown; `nil` if the tenant cannot be read.
  private let outcomes: TenantOutcomes?

  /// Whether all of the tenant can be read. Otherwise nobody knows who gets what.
  package var isReadable: Bool { outcomes != nil }

  /// Throws if there is no tenant.
  package init(_ location: TenantLocation) throws(TenantError) {
    switch location {
    case .folder(let path): try self.init(folder: path)
    case .sample, .none: self.init(try location.read().get())
    }
  }

  /// Throws if the folder does not exist.
  package init(folder: String) throws(TenantError) {
    try self.init(files: FolderFiles(path: folder)) { () throws(TenantError) in
      try FolderTenant(path: folder).readAvailable()
    }
  }

  /// Checks files that are in no folder, such as those of a revision.
  package init(files: some TenantFolder) throws(TenantError) {
    try self.init(files: files) { () throws(TenantError) in try files.readAvailable() }
  }

  private init(
    files: some TenantFolder, read: () throws(TenantError) -> TenantSnapshot
  ) throws(TenantError) {
    do throws(TenantError) {
      let tenant = try read()
      if case .unparsable(let file, let reason)? = tenant.policyFault {
        self.init(tenant, unreadable: .unreadable(file, reason, isTenantFile: false))
      } else {
        let missing = [tenant.missingPolicies.flatMap(TenantFinding.init(missing:))].compactMap { $0 }
        self.init(tenant, missing, unread: try files.unreadFindings(tenant))
      }
    } catch {
      guard case .unparsable(let file, let reason) = error else { throw error }
      self.init(TenantSnapshot(), unreadable: .unreadable(file, reason, isTenantFile: true))
    }
  }

  private init(_ tenant: TenantSnapshot, unreadable finding: TenantFinding) {
    (self.tenant, findings, outcomes) = (tenant, [finding], nil)
  }

  private init(_ tenant: TenantSnapshot, _ missing: [TenantFinding] = [], unread: [TenantFinding] = []) {
    let places = TenantPlaces(shownOf: tenant, app: nil, platform: nil)
    let outcomes = tenant.outcomes(of: tenant.users, in: places)
    self.tenant = tenant
    self.outcomes = outcomes
    findings = missing + tenant.findings + outcomes.findings + unread
  }

  /// What users get, in classes that get the same. Without `user`, of every user; without `app`, in each app that the
  /// tenant names and in any other app; without `platform`, on each platform that counts. `nil` if the tenant cannot be
  /// read, or does not list the user.
  package func outcomes(
    of user: AccountReference?, in app: String?, on platform: DevicePlatform?
  ) -> TenantOutcomes? {
    guard isReadable else { return nil }
    if user == nil, app == nil, platform == nil { return outcomes }
    let places = TenantPlaces(shownOf: tenant, app: app, platform: platform)
    guard let user else { return tenant.outcomes(of: tenant.users, in: places) }
    return tenant.user(for: user).map { tenant.outcomes(of: [$0], in: places) }
  }

  /// What each of these users gets by itself. `outcomes` are those of the same user, or of all.
  package func shares(of user: AccountReference?, _ outcomes: TenantOutcomes) -> [TenantShare] {
    guard let user else { return outcomes.shares(of: tenant.users) }
    return tenant.user(for: user).map { outcomes.shares(of: [$0]) } ?? []
  }

  /// What users get, each by itself. Empty if the tenant cannot be read. `nil` if it can, and does not list the user.
  package func shares(
    of user: AccountReference?, in app: String?, on platform: DevicePlatform?
  ) -> [TenantShare]? {
    guard isReadable else { return [] }
    return outcomes(of: user, in: app, on: platform).map { shares(of: user, $0) }
  }
}

extension TenantSnapshot {
  /// What a user gets, in each app that the tenant names and in any other app, on each platform that counts.
  package func shares(of user: TenantUser) -> [TenantShare] {
    outcomes(of: [user], in: TenantPlaces(shownOf: self, app: nil, platform: nil)).shares(of: [user])
  }

  /// What does not depend on what users get.
  fileprivate var findings: [TenantFinding] { fileFindings + channelFindings + assignmentFindings + nameFindings }

  /// What is wrong in single files, whoever their policies are for.
  package var fileFindings: [TenantFinding] { readingFindings + policies.flatMap(\.findings) }

  /// What was ignored while reading.
  private var readingFindings: [TenantFinding] {
    warnings.map { TenantFinding($0.kind.finding, $0.source, member: $0.member, text: $0.text) }
  }
}

extension PolicyWarning.Kind {
  fileprivate var finding: TenantFinding.Kind {
    switch self {
    case .ignored: .ignored
    case .otherPlatform: .otherPlatform
    case .unknownRestriction: .unknownRestriction
    }
  }
}

extension TenantFinding {
  fileprivate static func unreadable(_ file: String, _ reason: String, isTenantFile: Bool) -> TenantFinding {
    let sentence = reason.hasSuffix("?") ? reason : reason + "."
    let effect =
      isTenantFile
      ? "every check-in fails with status 206 and the last good policy applies"
      : "every check-in fails with status 206 and the last good policy applies; wipes and users in tenant.json still count"
    return TenantFinding(.unreadable, file, text: "\(sentence) Until it is fixed, \(effect)")
  }

  fileprivate init?(missing: TenantError) {
    guard case .unparsable(let file, let reason) = missing else { return nil }
    self.init(.unreadable, file, text: "\(reason). Until then, accounts that have a policy keep it, with status 206")
  }
}
