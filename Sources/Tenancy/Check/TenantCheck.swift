import Model

/// Who gets which policies of a tenant's folder, and what in the folder needs attention. Reads the folder and targets
/// its policies in the same way as a check-in.
package struct TenantCheck: Sendable {
  /// Empty if a file cannot be read or parsed, or has an object of an unknown type; every check-in then fails too.
  package let tenant: TenantSnapshot
  package let findings: [TenantFinding]

  /// Throws if there is no tenant.
  package init(_ location: TenantLocation) throws(TenantError) {
    switch location {
    case .folder(let path): try self.init(folder: path)
    case .sample, .none:
      let tenant = try location.read().get()
      self.init(tenant: tenant, findings: tenant.findings)
    }
  }

  /// Throws if the folder does not exist.
  package init(folder: String) throws(TenantError) {
    do throws(TenantError) {
      let tenant = try FolderTenant(path: folder).read()
      let unread = try FolderFiles(path: folder).unreadFindings(tenant)
      self.init(tenant: tenant, findings: tenant.findings + unread)
    } catch {
      guard case .unparsable(let file, let reason) = error else { throw error }
      let sentence = reason.hasSuffix("?") ? reason : reason + "."
      let text = "\(sentence) Until it is fixed, every check-in fails with status 206 and the last good policy applies"
      self.init(tenant: TenantSnapshot(), findings: [TenantFinding(.unreadable, file, text: text)])
    }
  }

  private init(tenant: TenantSnapshot, findings: [TenantFinding]) {
    (self.tenant, self.findings) = (tenant, findings)
  }

  /// What users get. Without `user`, for every user; without `app`, in each app that the tenant names and in any other
  /// app; without `platform`, on each platform that counts. `nil` if the tenant does not list the user.
  package func shares(
    of user: AccountReference?, in app: String?, on platform: DevicePlatform?
  ) -> [TenantShare]? {
    let found = user.map { tenant.user(for: $0) }
    if case .some(nil) = found { return nil }
    let apps = app.map { [TenantShare.App.named($0)] } ?? tenant.namedApps
    return TenantShare.all(
      in: tenant, users: found.map { [$0].compactMap { $0 } }, apps: apps,
      platforms: platform.map { [$0] } ?? tenant.platforms)
  }
}

extension TenantSnapshot {
  /// What a user gets, in each app that the tenant names and in any other app, on each platform that counts.
  package func shares(of user: TenantUser) -> [TenantShare] {
    TenantShare.all(in: self, users: [user], apps: namedApps, platforms: platforms)
  }

  /// Phones, and Windows if the tenant has a policy for it: nothing else can apply there.
  fileprivate var platforms: [DevicePlatform] {
    policies.contains { $0.kind == .windows } ? DevicePlatform.allCases : [.ios, .android]
  }

  fileprivate var findings: [TenantFinding] {
    let shares = TenantShare.all(in: self, apps: namedApps, platforms: platforms)
    return readingFindings + policies.flatMap(\.findings) + channelFindings + assignmentFindings + nameFindings
      + targetingFindings(shares)
  }

  /// What was ignored while reading.
  private var readingFindings: [TenantFinding] {
    warnings.map { TenantFinding(.ignored, $0.source, member: $0.member, text: $0.text) }
  }
}
