import Model

/// Who gets what of a tenant's folder, and what in it an administrator should look at. Read and targeted as a check-in
/// would.
package struct TenantCheck: Sendable {
  /// Empty if a file cannot be read, parsed or typed. A check-in fails then, too.
  package let tenant: TenantSnapshot
  package let findings: [TenantFinding]

  /// Throws when there is no such folder.
  package init(folder: String) throws(TenantError) {
    do throws(TenantError) {
      let tenant = try FolderTenant(path: folder).read()
      let unread = try FolderFiles(path: folder).unreadFindings(tenant)
      self.init(tenant: tenant, findings: tenant.findings + unread)
    } catch {
      guard case .unparsable(let file, let reason) = error else { throw error }
      let text = reason + ". Every check-in fails with 206 until this is fixed; the last good policy stays in force"
      self.init(tenant: TenantSnapshot(), findings: [TenantFinding(.unreadable, file, text: text)])
    }
  }

  private init(tenant: TenantSnapshot, findings: [TenantFinding]) {
    (self.tenant, self.findings) = (tenant, findings)
  }

  /// What one user gets, or every one; in one app, or in each that the tenant names and in any other; on one platform,
  /// or on both. Nil when the tenant does not list the user.
  package func shares(
    of user: AccountReference?, in app: String?, on platform: DevicePlatform?
  ) -> [TenantShare]? {
    let found = user.map { tenant.user(for: $0) }
    if case .some(nil) = found { return nil }
    let apps = app.map { [TenantShare.App.named($0)] } ?? tenant.namedApps
    return TenantShare.all(
      in: tenant, users: found.map { [$0].compactMap { $0 } }, apps: apps,
      platforms: platform.map { [$0] } ?? DevicePlatform.allCases)
  }
}

extension TenantSnapshot {
  fileprivate var findings: [TenantFinding] {
    let shares = TenantShare.all(in: self, apps: namedApps, platforms: DevicePlatform.allCases)
    return readingFindings + policies.flatMap(\.findings) + assignmentFindings + nameFindings
      + targetingFindings(shares)
  }

  /// What reading has passed over.
  private var readingFindings: [TenantFinding] {
    warnings.map { TenantFinding(.ignored, $0.source, member: $0.member, text: $0.text) }
  }
}
