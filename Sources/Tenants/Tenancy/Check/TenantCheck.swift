import Model
import Policy

/// Who gets which policies of a tenant's folder, and what in the folder needs attention. Reads the folder and targets
/// its policies in the same way as a check-in.
package struct TenantCheck: Sendable {
  /// Without policies if one cannot be read or says nothing, and empty if tenant.json cannot be read.
  package let tenant: TenantSnapshot
  package let findings: [TenantFinding]
  /// Whether all of the tenant can be read. Otherwise nobody knows who gets what.
  package let isReadable: Bool

  /// Throws if there is no tenant.
  package init(_ location: TenantLocation) throws(TenantError) {
    switch location {
    case .folder(let path): try self.init(folder: path)
    case .sample, .none:
      let tenant = try location.read().get()
      self.init(tenant, tenant.findings)
    }
  }

  /// Throws if the folder does not exist.
  package init(folder: String) throws(TenantError) {
    do throws(TenantError) {
      let tenant = try FolderTenant(path: folder).readAvailable()
      if case .unparsable(let file, let reason)? = tenant.policyFault {
        self.init(tenant, [.unreadable(file, reason, isTenantFile: false)], isReadable: false)
      } else {
        let missing = [tenant.missingPolicies.flatMap(TenantFinding.init(missing:))].compactMap { $0 }
        self.init(tenant, missing + tenant.findings + (try FolderFiles(path: folder).unreadFindings(tenant)))
      }
    } catch {
      guard case .unparsable(let file, let reason) = error else { throw error }
      self.init(TenantSnapshot(), [.unreadable(file, reason, isTenantFile: true)], isReadable: false)
    }
  }

  private init(_ tenant: TenantSnapshot, _ findings: [TenantFinding], isReadable: Bool = true) {
    (self.tenant, self.findings, self.isReadable) = (tenant, findings, isReadable)
  }

  /// What users get. Without `user`, for every user; without `app`, in each app that the tenant names and in any other
  /// app; without `platform`, on each platform that counts. Empty if the tenant cannot be read. `nil` if it can, and does
  /// not list the user.
  package func shares(
    of user: AccountReference?, in app: String?, on platform: DevicePlatform?
  ) -> [TenantShare]? {
    guard isReadable else { return [] }
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
    return fileFindings + channelFindings + assignmentFindings + nameFindings + targetingFindings(shares)
  }

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
