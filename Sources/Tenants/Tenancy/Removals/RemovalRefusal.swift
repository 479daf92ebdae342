import Model

/// Why nobody can say what a new version of a tenant lacks, or why it cannot be kept.
struct RemovalRefusal: Error {
  let fault: TenantError
  /// The id of the tenant that there was.
  var tenants: [String] = []
  /// The ids of what cannot be read, or the names of files.
  var unreadable: [String] = []

  private static let wayOut = "run mambridge-tenant accept, or publish with --allow-removals"

  fileprivate init(other tenantId: String, than before: String) {
    tenants = [before]
    fault = .unparsable(
      file: MemberReader.file,
      reason: """
        tenantId is \(tenantId), but the store has the tenant \(before), so the version is not served. Restore tenantId; \
        if the store is to have the other tenant, \(Self.wayOut).
        """)
  }

  fileprivate init(_ objects: [UnreadableObject]) {
    unreadable = objects.map { $0.id ?? $0.file }
    let file = objects.first?.file ?? MemberReader.file
    fault = .unparsable(
      file: file,
      reason: """
        \(unreadable.shown) of the version before cannot be read (\(objects.first?.fault.description ?? "")), and is \
        missing now, so it cannot be kept, and the version is not served. Restore it; if it is to go, \(Self.wayOut).
        """)
  }
}

extension TenantFileSet {
  /// What can be read of a version, for a comparison with the one that is to follow it.
  func comparable(with next: TenantSnapshot) throws(RemovalRefusal) -> TenantSnapshot {
    let tenant: TenantSnapshot
    do throws(TenantError) { tenant = try readable() } catch {
      throw RemovalRefusal([UnreadableObject(id: nil, fault: error, file: MemberReader.file)])
    }
    guard tenant.tenantId.lowercasedASCII == next.tenantId.lowercasedASCII else {
      throw RemovalRefusal(other: next.tenantId, than: tenant.tenantId)
    }
    let ids = Set(next.policies.map(\.id) + next.configurations.map(\.id))
    let files = Set(next.policies.map(\.source) + next.configurations.map(\.source))
    let missing = tenant.unreadable.filter { object in
      object.id.map { !ids.contains($0) } ?? !files.contains(object.file)
    }
    guard missing.isEmpty else { throw RemovalRefusal(missing) }
    return tenant
  }
}
